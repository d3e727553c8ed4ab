import type { ModelRequest } from "@sandbox-agent/scripted-model/request"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import type { Skip } from "../subject.ts"
import { scriptedCodex } from "./codex.ts"
import type { Scripted } from "./scripted.ts"
import { acpLacks, noPlanApproval, noSubagents } from "./skips.ts"

const cannot: Skip[] = [noPlanApproval, noSubagents]

/** Behind the adapter it is the model that asks to leave the sandbox; where there is none it must not. */
const escalated = (cmd: string) => (request: ModelRequest) => {
  const free = JSON.stringify(request.body.input).includes("danger-full-access")
  const asking = free ? {} : { sandbox_permissions: "require_escalated", justification: "It writes" }
  return reply(toolCall("exec_command", { cmd, ...asking }))
}

/** Codex behind its ACP adapter: the same model, told the same. */
export async function scriptedCodexAcp(home: string): Promise<Scripted> {
  const scripted = await scriptedCodex(home, escalated)
  const { whichMode: _, ...acts } = scripted.subject.acts
  return {
    ...scripted,
    subject: {
      ...scripted.subject,
      acts,
      agent: "codex-acp",
      speaks: "acp",
      skip: cannot,
      lacks: { words: acpLacks.words, skills: acpLacks.skills, brokenServers: acpLacks.brokenServers },
    },
  }
}
