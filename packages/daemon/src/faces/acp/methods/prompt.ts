import type { PostedMessage } from "@sandbox-agent/schema/message"
import { cancelTurn } from "../../../core/cancel.ts"
import { withdrawMessage } from "../../../core/messages.ts"
import { post } from "../../../core/post.ts"
import type { Session } from "../../../core/session.ts"
import { askAgain, attach } from "../attach.ts"
import { type Method, type Notice, type Request, sessionIn } from "../method.ts"
import { passthroughPrompt } from "../passthrough-prompt.ts"
import { isRecord, ours } from "../projection/envelope.ts"
import { readPrompt } from "../projection/prompt.ts"
import { Unposted } from "../unposted.ts"

export const promptMethod: Method = async (request) => {
  const { acp, connection, params, call } = request
  const s = sessionIn(request)
  const unposted = new Unposted(call, s.record.uid)
  let after = 0
  const before = () => {
    unposted.assertWanted()
    if (connection.attached(s.record.id)?.uid !== s.record.uid) {
      connection.fence()
      attach(connection, s)
      askAgain(acp, connection, s)
    }
    after = s.sequence
  }
  // Both are committed together, so that no call waits for a message that a kill has lost.
  const taken = ({ messageId }: PostedMessage) => {
    connection.unposted.delete(unposted)
    Object.assign(call, { uid: s.record.uid, message: messageId })
    connection.keepCall(call)
  }
  try {
    const { message, blocks } = readPrompt(isRecord(params) ? params.prompt : undefined)
    const passthrough = s.driver?.protocol === "acp" ? passthroughPrompt(params, blocks) : undefined
    connection.unposted.add(unposted)
    const posted = await unposted.orCancelled(post(s, { ...message, passthrough }, { before, taken }))
    if (posted === "cancelled") return { result: { stopReason: "cancelled", ...ours({ withdrawn: true }) } }
    return { posted: { session: s, messageId: posted.messageId, after } }
  } catch (error) {
    Object.assign(call, { uid: null, message: null })
    throw error
  } finally {
    connection.unposted.delete(unposted)
  }
}

/** Ends the running turn, whoever began it, and takes back what this client has in the queue. */
export const cancelNotice: Notice = async (request) => {
  const { acp, connection } = request
  const s = sessionIn(request)
  for (const unposted of connection.unposted) if (unposted.uid === s.record.uid) unposted.cancel()
  for (const { message } of acp.rows.upToDate.prompts(connection.uid, s.record.uid))
    if (message !== null && s.queue.some(({ id }) => id === message)) await withdrawMessage(s, message)
  endTurn(request, s)
}

/** Not waited for: the prompt's answer tells when the turn has ended, and the client has more to say meanwhile. */
function endTurn({ acp }: Request, s: Session): void {
  cancelTurn(s, {}).catch((error: unknown) =>
    acp.services.log("debug", "a cancel was refused", { session: s.record.id, error: String(error) }),
  )
}

/** A client no longer waits for a call. Only prompts can be taken back; the others are done soon. */
export const cancelRequestNotice: Notice = async (request) => {
  const { acp, connection, params } = request
  const id = isRecord(params) ? params.requestId : undefined
  const call = id === undefined ? undefined : acp.rows.upToDate.callById(connection.uid, JSON.stringify(id))
  for (const unposted of connection.unposted) if (unposted.call.n === call?.n) unposted.cancel()
  if (call?.message == null || call.session === null) return
  const s = acp.services.sessions.get(call.session)
  if (s.record.uid !== call.uid) return
  if (s.queue.some((waiting) => waiting.id === call.message)) await withdrawMessage(s, call.message)
  else if (runs(s, call.message)) endTurn(request, s)
}

const runs = (s: Session, messageId: string): boolean => s.turn?.messageIds.includes(messageId) ?? false
