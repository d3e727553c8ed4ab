import { shellWord } from "./shell-word.ts"

/** What a person types to end the daemon of a directory; without its name it would be that of the usual one. */
export const stopCommand = (directory: string): string => `sandbox-agent daemon stop --data-dir ${shellWord(directory)}`
