import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { CallRow } from "../../store/acp-rows.ts"
import { BriefClient } from "../http/clients.ts"
import type { Acp } from "./acp.ts"
import type { Connection } from "./connection.ts"
import {
  type CallRequest,
  type Method,
  type Notice as NoticeMethod,
  type Outcome,
  type Posted,
  sessionIdIn,
} from "./method.ts"
import { methods, notices } from "./methods/table.ts"
import { type Answer, type Incoming, resultAnswer, thrownAnswer } from "./rpc.ts"
import { streamFirst } from "./stream-first.ts"
import { partKey } from "./visibility.ts"

type Call = Extract<Incoming, { kind: "call" }>
type Notice = Extract<Incoming, { kind: "notice" }>

/** Whom a message came from: `?agent=` of its address, and who is behind its connection. */
export type Sender = Pick<CallRequest, "agent" | "client">

/** Prompts need nobody's leave, and are many: who sent them is not looked up. */
export function senderOf(
  { services: { clients } }: Acp,
  request: globalThis.Request,
  given: Incoming,
  agent: string | undefined,
): Sender & { client: BriefClient } {
  const isPrompt = given.kind === "call" && given.method === "session/prompt"
  return { agent, client: new BriefClient(isPrompt ? clients.later(request) : clients.of(request)) }
}

/** A call that was taken. */
export interface Taken {
  call: CallRow
  /** Its answer, or the message whose turn will be the answer. Never rejects. */
  done: Promise<Answer | Posted>
}

/** Answers of these belong to the connection's stream though they name a session. */
const ofConnection = new Set(["session/load", "session/new", "session/list"])

/** Takes a call. Its answer is said on the connection's streams and, where a client waits for it, given back. */
export function takeCall(acp: Acp, connection: Connection, given: Call, { agent, client }: Sender): Taken {
  const { id, method, params } = given
  const named = sessionIdIn(params)
  const call = connection.call(id, method, named)
  const to = ofConnection.has(method) ? undefined : named
  const answer = async (): Promise<Answer | Posted> => {
    try {
      const handler: Method | undefined = methods.get(method)
      if (handler === undefined)
        throw new SandboxAgentError("method_not_allowed", `Method not found: ${method.slice(0, 200)}`, {
          hint: "The answer to `initialize` tells what is served.",
        })
      const running: Promise<Outcome> = handler({ acp, connection, params, agent, client, call })
      const outcome = await running
      if ("posted" in outcome) return outcome.posted
      return await say(acp, connection, call, outcome, resultAnswer(id, outcome.result), to)
    } catch (thrown) {
      report(acp, method, thrown)
      return await say(acp, connection, call, { result: undefined }, thrownAnswer(id, thrown), to)
    }
  }
  return { call, done: connection.hold(answer()) }
}

async function say(
  acp: Acp,
  connection: Connection,
  call: CallRow,
  outcome: Extract<Outcome, { result: unknown }>,
  answer: Answer,
  to: string | undefined,
): Promise<Answer> {
  const { store } = acp
  const { before, after, behind } = outcome
  const entry = { to, call: call.n, envelope: answer }
  before?.()
  if (behind !== undefined && connection.doc.dialect === "official") {
    after?.()
    await store.committed()
    await historyTaken(acp, connection, behind.session, behind.seq())
    connection.say(entry)
  } else {
    connection.say(entry)
    after?.()
  }
  connection.endCall(call)
  await store.committed().catch(() => undefined) // told by the store; kept and written once there is room
  return answer
}

/** The history goes by the session's stream and the answer by the connection's: the answer comes second. */
async function historyTaken(acp: Acp, connection: Connection, session: string, seq: number): Promise<void> {
  const feed = connection.feeds.get(partKey({ kind: "session", id: session }))
  if (feed !== undefined) await streamFirst(acp, [feed], () => feed.hasSent(seq))
}

/** Takes a notification. Nobody waits for it, so what goes wrong is only logged; unknown ones are ignored. */
export async function takeNotice(
  acp: Acp,
  connection: Connection,
  given: Notice,
  { agent, client }: Sender,
): Promise<void> {
  const { method, params } = given
  try {
    const handler: NoticeMethod | undefined = notices.get(method)
    const running: Promise<void> | undefined = handler?.({ acp, connection, params, agent, client })
    if (running !== undefined) await connection.hold(running)
  } catch (thrown) {
    report(acp, method, thrown)
  }
}

/** A fault of ours is logged whole; what a client did wrong is its own business. */
export function report(acp: Acp, method: string, thrown: unknown): void {
  const { log } = acp.services
  if (SandboxAgentError.is(thrown)) return log("debug", "acp request refused", { method, error: thrown.detail })
  log("error", "acp request failed", { method, error: String(thrown instanceof Error ? thrown.stack : thrown) })
}
