import type { Skip } from "../subject.ts"
import { scriptedClaude } from "./claude.ts"
import type { Scripted } from "./scripted.ts"
import { acpLacks, noModes, noNotes, noPlanApproval } from "./skips.ts"

/** The adapter tells of retries to clients that say they know an extension of one editor, and to nobody else. */
const quiet: Skip = { ...noNotes, reason: "the adapter tells of its own life to clients of one editor alone" }

/** Claude Code behind its ACP adapter: the same model, told the same. */
export async function scriptedClaudeAcp(home: string): Promise<Scripted> {
  const scripted = await scriptedClaude(home)
  const skip = [noPlanApproval, noModes, quiet]
  return {
    ...scripted,
    subject: { ...scripted.subject, agent: "claude-agent-acp", speaks: "acp", skip, lacks: acpLacks },
  }
}
