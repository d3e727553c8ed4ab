import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { PostedMessage, PostMessage } from "@sandbox-agent/schema/message"
import type { MessageRow, StoredAttachment } from "../store/row-types.ts"
import { storeAttachments } from "./attachments.ts"
import { NotSupported } from "./driver.ts"
import { knownMessage, messageUpdated, positionOf } from "./messages.ts"
import { dispatch, steer } from "./send.ts"
import type { Session } from "./session.ts"
import { tellQueue } from "./tell-lists.ts"

/** A message that stands in the queue or is on its way, and the moment it is on disk. */
interface TakenMessage {
  posted: PostedMessage
  committed: Promise<void>
}

/** A client may have said it in the agent's own protocol. */
export type GivenMessage = PostMessage & Pick<MessageRow, "passthrough">

/** What else is to happen in the moment a message is taken: what it writes is committed with the message. */
export interface PostHooks {
  before?(): void
  taken?(posted: PostedMessage): void
}

/**
 * Takes a message. The answer comes after it is on disk; what happens to it is reported by `message.updated`. One whose id is
 * known has the same answer again, also when an attachment is gone or the session has ended since.
 */
export async function post(s: Session, given: GivenMessage, hooks: PostHooks = {}): Promise<PostedMessage> {
  const again = knownMessage(s, given.messageId)
  if (again !== undefined) return answerAgain(s, again, given)
  s.assertWritable()
  if (given.attachments === undefined || given.attachments.length === 0) return takeNow(s, given, [], hooks)
  const attachments = await storeAttachments(s, given.attachments)
  // The same id may have been posted meanwhile: twice at once is one message.
  const meanwhile = knownMessage(s, given.messageId)
  return meanwhile === undefined ? takeNow(s, given, attachments, hooks) : answerAgain(s, meanwhile, given)
}

/** Without a pause up to the queue. */
async function takeNow(
  s: Session,
  given: GivenMessage,
  attachments: StoredAttachment[],
  hooks: PostHooks,
): Promise<PostedMessage> {
  s.assertWritable()
  hooks.before?.()
  const { posted, committed } = takeMessage(s, given, attachments)
  hooks.taken?.(posted)
  await committed
  return posted
}

/** Agents come and go while we run: one that was removed gets no more messages, one that was added again goes on. */
function assertKnownAgent(s: Session): void {
  const { agent, id } = s.record
  const driver = s.context.drivers.get(agent)
  if (driver === undefined)
    throw new SandboxAgentError("unsupported_agent", `this daemon has no agent ${agent} any more`, {
      agent,
      sessionId: id,
      hint: `Add it again, and session ${id} goes on; what was said in it can be read.`,
    })
  if (s.native === undefined && s.opening === undefined) s.driver = driver
}

/** Takes a message whose id is new, in one moment. */
function takeMessage(s: Session, post: GivenMessage, attachments: StoredAttachment[]): TakenMessage {
  const delivery = post.delivery ?? "queue"
  s.leftAlone = false
  assertKnownAgent(s)
  if (delivery === "steer" && !s.driver?.capabilities.steer)
    throw new NotSupported(`agent ${s.record.agent} cannot be steered; send it with delivery "queue"`)
  if (s.queue.length >= limits.queuedMessages)
    throw new SandboxAgentError("too_many_requests", `${limits.queuedMessages} messages already wait in this session`, {
      sessionId: s.record.id,
      limit: limits.queuedMessages,
      hint: "Wait until the queue has drained, or withdraw a message.",
    })
  if (post.messageId !== undefined) s.context.ids.lift(post.messageId)
  const steering = delivery === "steer" && s.turn !== undefined && s.sending === undefined && !s.turn.cancelling
  const message: MessageRow = {
    id: post.messageId ?? s.context.ids.next("msg"),
    ord: ++s.messageOrd,
    state: "queued",
    delivery,
    turnId: steering && s.turn ? s.turn.id : s.context.ids.next("turn"),
    text: post.message,
    attachments,
    ...(post.passthrough && { passthrough: post.passthrough }),
    ...(post.messageId !== undefined && { digest: digestOf(post) }),
  }
  const position = steering ? 0 : s.queue.length + (s.turn === undefined ? 0 : 1)
  s.queue.push(message)
  messageUpdated(s, message, { position })
  // At rest it goes at once: that it was taken, is being sent and has its turn is one commit, after which the agent gets it.
  dispatch(s)
  tellQueue(s)
  return {
    posted: { messageId: message.id, turnId: message.turnId, position },
    committed: steering ? steerOnceCommitted(s, message) : s.committed(),
  }
}

async function steerOnceCommitted(s: Session, message: MessageRow): Promise<void> {
  await s.committed()
  if (s.queue.includes(message)) steer(s, message)
  dispatch(s)
}

async function answerAgain(s: Session, known: MessageRow, post: PostMessage): Promise<PostedMessage> {
  // A message of an older version of the daemon has no digest.
  if (known.digest !== undefined && known.digest !== digestOf(post))
    throw new SandboxAgentError("conflict", `messageId: ${known.id} was used for another message of this session`, {
      sessionId: s.record.id,
      messageId: known.id,
      state: known.state,
    })
  await s.committed()
  return { messageId: known.id, turnId: known.turnId, position: positionOf(s, known.id) }
}

/** What was asked, in few bytes: the text of a message is not kept beside its item. */
function digestOf({ message, attachments = [], delivery = "queue" }: PostMessage): string {
  const given = attachments.map(({ path, url, data, mime, filename }) => [path, url, data, mime, filename])
  return new Bun.CryptoHasher("sha256").update(JSON.stringify([message, given, delivery])).digest("base64url")
}
