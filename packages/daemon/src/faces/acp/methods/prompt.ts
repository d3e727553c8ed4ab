import { storeAttachments } from "../../../core/attachments.ts"
import { cancelTurn } from "../../../core/cancel.ts"
import { withdrawMessage } from "../../../core/messages.ts"
import { takeMessage } from "../../../core/post.ts"
import type { Session } from "../../../core/session.ts"
import { askAgain, attach } from "../attach.ts"
import { type Method, type Notice, type Request, sessionIn } from "../method.ts"
import { isRecord } from "../projection/envelope.ts"
import { messageOf } from "../projection/prompt.ts"

export const promptMethod: Method = async (request) => {
  const { acp, connection, params, call } = request
  const { context } = acp.services
  const s = sessionIn(request)
  const { message, attachments } = messageOf(isRecord(params) ? params.prompt : undefined)
  s.assertWritable()
  const stored = await storeAttachments(s, attachments)
  s.assertWritable()
  if (connection.attached(s.record.id)?.uid !== s.record.uid) {
    context.store.flush()
    attach(connection, s)
    askAgain(acp, connection, s)
  }
  const after = s.sequence
  const { posted, committed } = takeMessage(s, { message }, stored)
  const { messageId } = posted
  // After it, in the same moment: both are committed together, so that no call waits for a message a kill has lost.
  Object.assign(call, { uid: s.record.uid, message: messageId })
  connection.keepCall(call)
  await committed.catch((error: unknown) => {
    Object.assign(call, { uid: null, message: null })
    throw error
  })
  return { posted: { session: s, messageId, after } }
}

/** Ends the running turn, whoever began it, and takes back what this client has in the queue. */
export const cancelNotice: Notice = async (request) => {
  const { acp, connection } = request
  const s = sessionIn(request)
  acp.services.context.store.flush()
  for (const { message } of acp.rows.prompts(connection.uid, s.record.uid))
    if (message !== null && s.queue.some(({ id }) => id === message)) await withdrawMessage(s, message)
  endTurn(request, s)
}

/** Not waited for: the prompt's answer tells when the turn has ended, and the client has more to say meanwhile. */
function endTurn({ acp }: Request, s: Session): void {
  cancelTurn(s, {}).catch((error: unknown) =>
    acp.services.context.log("debug", "a cancel was refused", { session: s.record.id, error: String(error) }),
  )
}

/** A client no longer waits for a call. Only prompts can be taken back; the others are done soon. */
export const cancelRequestNotice: Notice = async (request) => {
  const { acp, connection, params } = request
  acp.services.context.store.flush()
  const id = isRecord(params) ? params.requestId : undefined
  const call = id === undefined ? undefined : acp.rows.callById(connection.uid, JSON.stringify(id))
  if (call?.message == null || call.session === null) return
  const s = acp.services.sessions.get(call.session)
  if (s.record.uid !== call.uid) return
  if (s.queue.some((waiting) => waiting.id === call.message)) await withdrawMessage(s, call.message)
  else if (runs(s, call.message)) endTurn(request, s)
}

const runs = (s: Session, messageId: string): boolean => s.turn?.messageIds.includes(messageId) ?? false
