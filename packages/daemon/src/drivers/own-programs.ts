import type { NativeAgent } from "./native-agent.ts"
import { nativeAgent } from "./table.ts"

/** What the driver of this agent has this program be; nothing of one that has no use for it. */
export const ownProgramOf = (agent = ""): NativeAgent["ownProgram"] => nativeAgent(agent)?.ownProgram
