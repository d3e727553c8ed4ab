import { limits } from "@sandbox-agent/schema/limits"
import type { Conversation } from "./conversation.ts"

/**
 * Takes the thread out of the server's memory, with whatever runs in it, its MCP servers and its lock. Nothing else does:
 * `thread/unsubscribe` leaves all of that. Both requests are written at once, so that no thread stays archived if we die.
 * `false`: the server does not answer.
 */
export async function unload({ server, threads }: Conversation): Promise<boolean> {
  const requests = threads.flatMap(({ id: threadId }) => [
    server.request("thread/archive", { threadId }),
    server.request("thread/unarchive", { threadId }),
  ])
  // Refusals are fine: of a thread without a turn there is nothing on disk to bring back.
  const answered = Promise.allSettled(requests).then(() => true)
  return Promise.race([answered, Bun.sleep(limits.closeMs).then(() => false)])
}

/** Whatever runs in its threads ends; nobody waits for it. */
export function stopAll({ server, threads, turns, main }: Conversation): void {
  for (const { id: threadId, turn, commands } of threads) {
    const turnId = threadId === main.id ? turns.active : turn
    if (turnId !== undefined) server.request("turn/interrupt", { threadId, turnId }).catch(() => undefined)
    if (turnId !== undefined || commands.detached.size > 0)
      server.request("thread/backgroundTerminals/clean", { threadId }).catch(() => undefined)
  }
}
