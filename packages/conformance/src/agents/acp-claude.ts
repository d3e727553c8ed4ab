import { scriptedClaude } from "./claude.ts"
import type { Scripted } from "./scripted.ts"
import { acpLacks, noModes, noPlanApproval } from "./skips.ts"

/** Claude Code behind its ACP adapter: the same model, told the same. */
export async function scriptedClaudeAcp(home: string): Promise<Scripted> {
  const scripted = await scriptedClaude(home, true)
  const skip = [noPlanApproval, noModes]
  return {
    ...scripted,
    subject: { ...scripted.subject, agent: "claude-agent-acp", speaks: "acp", skip, lacks: acpLacks },
  }
}
