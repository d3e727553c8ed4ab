import { limits } from "@sandbox-agent/schema/limits"
import type { Conversation } from "./conversation.ts"
import type { Terminal } from "./native.ts"
import type { Thread } from "./thread.ts"

/** Kills commands of a thread, all but these, and waits for their end, but not for ever. */
export async function stopCommands(c: Conversation, thread: Thread, but?: ReadonlySet<string>): Promise<void> {
  await Promise.race([stop(c, thread, but), Bun.sleep(limits.closeMs)])
}

async function stop({ server, sink }: Conversation, { id: threadId, commands }: Thread, but?: ReadonlySet<string>) {
  const listed = await server.request("thread/backgroundTerminals/list", { threadId }, { sink })
  const chosen = (listed.data ?? []).filter(({ itemId }) => !but?.has(itemId))
  const end = ({ processId }: Terminal) =>
    server.request("thread/backgroundTerminals/terminate", { threadId, processId }, { sink })
  // One that ended meanwhile is refused.
  await Promise.allSettled(chosen.map(end))
  await commands.ended(chosen.map(({ itemId }) => itemId))
}
