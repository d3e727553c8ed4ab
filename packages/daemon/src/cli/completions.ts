import { completionTree } from "./completion-tree.ts"
import { bashCompletions } from "./completions-bash.ts"
import { fishCompletions } from "./completions-fish.ts"
import { zshCompletions } from "./completions-zsh.ts"
import { out } from "./print.ts"
import { UsageError } from "./usage.ts"

const shells = { bash: bashCompletions, zsh: zshCompletions, fish: fishCompletions } as const
export type Shell = keyof typeof shells

export const completionScript = (shell: Shell): string => shells[shell](completionTree())

export async function completionsCommand(argv: string[]): Promise<number> {
  const [shell, extra] = argv
  if (shell === undefined || !Object.hasOwn(shells, shell) || extra !== undefined)
    throw new UsageError(`give one shell: ${Object.keys(shells).join(", ")}`, ["completions"])
  await out(completionScript(shell as Shell))
  return 0
}
