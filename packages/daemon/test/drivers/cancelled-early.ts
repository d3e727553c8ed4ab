import { cancelTurn } from "../../src/core/cancel.ts"
import type { Native } from "../../src/core/driver.ts"
import type { Session } from "../../src/core/session.ts"
import type { DriverStage } from "./stage.ts"

/** Posts a message whose turn is cancelled when its driver has it and its agent has not; what was said to the agent since. */
export async function cancelledEarly(live: DriverStage, session: Session): Promise<string[]> {
  const native = session.native as Native
  const { send } = native
  const cancelled = Promise.withResolvers<unknown>()
  const before = session.rawCount
  native.send = (message) => {
    native.send = send
    const sent = native.send(message)
    cancelTurn(session, {}).then(cancelled.resolve, cancelled.reject)
    native.interrupt().catch(cancelled.reject)
    return sent
  }
  const id = await live.post("cancelled", {}, session)
  await cancelled.promise
  await live.until("message.updated", ({ data }) => data.message_id === id && data.state === "withdrawn", session)
  const { reader } = live.core.context
  return Array.from({ length: session.rawCount - before }, (_, i) =>
    reader.rawLine(session.record.uid, before + 1 + i),
  ).filter((line) => line !== undefined)
}
