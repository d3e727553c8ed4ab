import type { UniversalApi } from "../api/universal.ts"
import { patiently } from "../http/patiently.ts"
import type { Limits } from "../limits.ts"
import type { PostMessageRequest } from "../types.ts"
import type { Turn } from "./turn.ts"

/**
 * Tells a turn what became of its message up to a sequence, behind which its session tells it. The daemon knows the message by its id, and streams
 * its turn again from the beginning.
 */
export function lookBack(
  api: UniversalApi,
  id: string,
  request: PostMessageRequest,
  turn: Turn,
  until: number,
  limits: Limits,
  signal: AbortSignal,
): Promise<void> {
  return patiently(limits, signal, async () => {
    const { queue } = await api.getSession(id, { signal })
    if (queue.some(({ messageId }) => messageId === turn.messageId)) return
    for await (const event of api.streamMessage(id, request, { signal })) {
      if (event.sequence > until) return
      turn.event(event)
    }
  })
}
