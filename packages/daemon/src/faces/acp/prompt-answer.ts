import type { Acp } from "./acp.ts"
import { finals } from "./answer-lines.ts"
import type { Connection } from "./connection.ts"
import type { Posted } from "./method.ts"
import type { PromptAnswer } from "./projection/stop.ts"

/** How a prompt ends, for a client that waits in its own request. Undefined when it left, or the daemon stops. */
export async function promptAnswer(
  acp: Acp,
  connection: Connection,
  posted: Posted,
  signal: AbortSignal,
): Promise<{ answer: PromptAnswer; pos: number } | undefined> {
  const { session, messageId, after } = posted
  const { reader } = acp.services
  const { log } = session
  let resume = () => {}
  const wake = () => resume()
  signal.addEventListener("abort", wake, { once: true })
  connection.turnWaiters.add(posted)
  log.readers++
  try {
    for (let cursor = after; !signal.aborted; ) {
      for (const page of reader.pages(log, cursor)) {
        cursor = page.first + page.count - 1
        for (const join of acp.pages.of(session, page, connection.traits).joins)
          for (const { messageId: id, answer } of finals(acp, session, join))
            if (id === messageId) return { answer, pos: join.pos }
      }
      if (cursor < log.first - 1) return undefined // purged, or overtaken by retention
      if (cursor < log.last) continue
      if (log.closed) return undefined
      await new Promise<void>((resolve) => {
        resume = resolve
        log.waiting.add(wake)
      })
    }
    return undefined
  } finally {
    connection.turnWaiters.delete(posted)
    log.readers--
    log.waiting.delete(wake)
    signal.removeEventListener("abort", wake)
  }
}
