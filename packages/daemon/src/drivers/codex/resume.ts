import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import { MemoryGone } from "../../core/driver.ts"
import type { Opened } from "./native.ts"
import { Refused } from "./refused.ts"
import type { Server } from "./server.ts"
import type { Servers } from "./servers.ts"
import type { ThreadMember } from "./thread-member.ts"

const retryMs = 100

const unreadable =
  /no rollout found|invalid session id|failed to (?:load|read|parse|resolve) (?:the )?(?:rollout|thread|session)|rollout .*\b(?:empty|corrupt)/i

/** How Codex says that it has no such thread any more; any other error stays as it is. */
export function forgotten(error: unknown, threadId: string): unknown {
  const gone = error instanceof Refused && unreadable.test(error.detail)
  return gone ? new MemoryGone(`Codex has no thread ${threadId} (${error.detail})`) : error
}

/** Loads a thread by its id. One whose server is on its way out is waited for, within the time an opening has. */
export async function resumeThread(
  server: Pick<Server, "request">,
  servers: Pick<Servers, "isStuck">,
  threadId: string,
  params: object,
  { sink, openMs }: Pick<ThreadMember, "sink" | "openMs">,
): Promise<Opened> {
  const begun = Date.now()
  while (true) {
    // Seen before it is asked for: one that ends while the answer is on its way has let go of it only then.
    const stuck = servers.isStuck(threadId)
    // Ours let go within a moment; a server of ours that is stuck ends when its other sessions have left it.
    const patienceMs = stuck ? openMs / 2 : limits.closeMs
    try {
      return await server.request("thread/resume", { threadId, excludeTurns: true, ...params }, { sink })
    } catch (error) {
      const reason = error instanceof Refused ? error.detail : ""
      if (/is archived/.test(reason)) await server.request("thread/unarchive", { threadId }, { sink })
      else if (!/active writer/.test(reason)) throw forgotten(error, threadId)
      else if (Date.now() - begun < patienceMs) await Bun.sleep(retryMs)
      else if (stuck)
        throw new SandboxAgentError("unavailable", `thread ${threadId} is still held by a server that does not answer`)
      else throw new SandboxAgentError("conflict", `thread ${threadId} is open in another Codex`)
    }
  }
}
