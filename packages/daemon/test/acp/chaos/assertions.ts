import type { Event } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"
import { expect } from "vitest"
import { headOf, type ItemHead } from "../../../src/faces/acp/projection/head.ts"
import { traitsOf } from "../../../src/faces/acp/projection/traits.ts"
import { project } from "../../../src/faces/acp/projection/updates.ts"
import { checkLog } from "../../core/checks.ts"
import type { Api } from "../../harness/api.ts"
import { type Message, rising, Wire } from "../wire.ts"
import { BareClient } from "./bare-client.ts"
import type { Asked, ChaosWorker } from "./chaos-worker.ts"

/** The client's log beside the durable one: nothing is missing, nothing came twice, everything was answered once. */
export async function expectWhole(worker: ChaosWorker, session: Asked, api: Api): Promise<void> {
  const events = await api.events(session.id)
  const { items } = await api.items(session.id)
  expect(checkLog(events)).toEqual([])
  expectAnswers(worker, session, events, items)
  expectDecisions(worker, events)
  const expected = updatesIn(projected(events, worker))
  const received = () => updatesIn(worker.client.logOf(session.id))
  const texts = textsIn(items)
  const last = [...texts.keys()].at(-1)
  const repeats = () => received().slice(expected.length)
  const timesTold = () => repeats().filter((message) => messageIdIn(message) === texts.keys().next().value).length
  // An answer may be here before what came on another connection: each history ends with its last text.
  const whole = (times: number) => times > 0 && fold(repeats()).get(last ?? "") === texts.get(last ?? "")?.repeat(times)
  await caughtUp(() => whole(timesTold()))
  expect(received().slice(0, expected.length)).toEqual(expected)
  expect(fold(expected)).toEqual(texts)
  // Asked for again when a cut left it in doubt, so perhaps told more than once, but whole each time.
  const times = timesTold()
  expect(fold(repeats())).toEqual(new Map([...texts].map(([id, words]) => [id, words.repeat(times)])))
}

/** Every stream in the order of its ids, and told again to whoever asks, to the byte. */
export async function expectReplay(worker: ChaosWorker, daemon: { url: string; token: string }): Promise<void> {
  const { client } = worker
  if (!(client instanceof BareClient)) return
  for (const [key, received] of client.received) {
    expect(rising(received.map(({ id }) => id))).toBe(true)
    if (received.length === 0) continue
    const wire = new Wire(daemon, client.form.path)
    const scope: Record<string, string> = key === "" ? {} : { "acp-session-id": key }
    const again = await wire.stream({ ...client.headers, ...scope, "last-event-id": client.begins.get(key) ?? "" })
    const isShared = ({ message }: { message: Message }) =>
      client.form.kind === "official" || message.method !== undefined
    const mine = received.filter(isShared)
    // What was asked twice may be answered once more after its client has left.
    const theirs = () => again.received.filter(isShared).slice(0, mine.length)
    await caughtUp(() => theirs().length === mine.length)
    expect(theirs()).toEqual(mine)
    await again.cut()
  }
}

/**
 * From the first message on; requests are withdrawn for some and not for others, and further questions stand beside the
 * log. The answer of a client that was cut is refused when it is come to, perhaps while the history is told again.
 */
function updatesIn(log: readonly Message[]): Message[] {
  const said = log.filter(
    (message) =>
      message.method !== undefined &&
      message.method !== "$/cancel_request" &&
      !/^que_.*\.\d+$/.test(String(message.id ?? "")) &&
      !JSON.stringify(message).includes("that hides behind its connection tried to answer"),
  )
  const first = said.findIndex((message) => updateIn(message)?.sessionUpdate === "user_message_chunk")
  return first < 0 ? [] : said.slice(first)
}

interface Update {
  sessionUpdate: string
  messageId?: string
  content?: { text?: string }
}

const updateIn = ({ params }: Message): Update | undefined => params?.update as Update | undefined

const chunks = ["user_message_chunk", "agent_message_chunk", "agent_thought_chunk"]

function messageIdIn(message: Message): string | undefined {
  const update = updateIn(message)
  return update !== undefined && chunks.includes(update.sessionUpdate) ? update.messageId : undefined
}

/** The texts of all messages, by their ids. */
function fold(log: readonly Message[]): Map<string, string> {
  const texts = new Map<string, string>()
  for (const message of log) {
    const id = messageIdIn(message)
    if (id !== undefined) texts.set(id, (texts.get(id) ?? "") + (updateIn(message)?.content?.text ?? ""))
  }
  return texts
}

/** The same from the folded transcript. */
function textsIn(items: readonly Item[]): Map<string, string> {
  const texts = new Map<string, string>()
  for (const { kind, role, item_id, message_id, content } of items) {
    if (kind !== "message") continue
    const id = role === "user" ? (message_id ?? item_id) : item_id
    content.forEach((part, at) => {
      if ("text" in part && part.text !== "") texts.set(at === 0 ? id : `${id}.${at}`, part.text)
    })
  }
  return texts
}

/** What the durable log means to this client. */
function projected(events: readonly Event[], worker: ChaosWorker): Message[] {
  const heads = new Map<string, ItemHead>()
  const traits = traitsOf(worker.client.capabilities)
  return events.flatMap((event) => {
    if (event.type === "item.started") heads.set(event.data.item.item_id, headOf(event.data.item))
    const head = event.type === "item.delta" ? heads.get(event.data.item_id) : undefined
    return JSON.parse(JSON.stringify(project(event, head, traits))) as Message[]
  })
}

/** Every turn has ended, each was asked for once, and who asked was told how it ended. */
function expectAnswers(worker: ChaosWorker, session: Asked, events: readonly Event[], items: readonly Item[]): void {
  const ends = new Map(
    events.flatMap((event) => (event.type === "turn.ended" ? [[event.data.turn_id, event.data]] : [])),
  )
  const marks: string[] = []
  for (const { role, turn_id, content } of items) {
    const [part] = content
    if (role !== "user" || part?.type !== "text") continue
    const mark = part.text.split("\n")[0] ?? ""
    marks.push(mark)
    const answer = worker.client.answers.get(session.prompts.get(mark) ?? -1)
    const end = ends.get(turn_id ?? "")
    const how = { mark, stop: answer?.result?.stopReason ?? answer?.error?.data?.code }
    expect(how).toEqual({ mark, stop: end?.error?.code ?? end?.stop_reason })
    if (!worker.parts.mortal) expect(how.stop).toBe("end_turn")
  }
  expect(marks).toEqual([...new Set(marks)])
  for (const [mark, id] of session.prompts)
    if (worker.client.answers.get(id)?.result !== undefined) expect(marks).toContain(mark)
}

const statuses: Record<string, string> = { allow_once: "accept", reject_once: "reject" }

/** Each request came once, was resolved once, and as this client decided. */
function expectDecisions(worker: ChaosWorker, events: readonly Event[]): void {
  const of = (id: string, type: "permission.resolved" | "question.resolved") =>
    events.filter((event) => {
      if (event.type !== type) return false
      return ("permission_id" in event.data ? event.data.permission_id : event.data.question_id) === id
    })
  let asked = 0
  for (const event of events) {
    if (event.type !== "permission.requested" && event.type !== "question.requested") continue
    asked++
    const isPermission = event.type === "permission.requested"
    const id = isPermission ? event.data.permission_id : event.data.question_id
    const resolved = of(id, isPermission ? "permission.resolved" : "question.resolved")
    expect(resolved.length).toBe(1)
    const status = resolved.map(({ data }) => ("status" in data ? data.status : undefined))[0]
    const decision = worker.client.decisions.get(id)
    expect(decision?.asked).toBe(1)
    if (worker.parts.mortal && status === "cancelled") continue
    if (isPermission) expect(status).toBe(statuses[decision?.optionId ?? ""])
    else expect(["answered", "rejected"]).toContain(status)
  }
  expect(asked).toBeGreaterThan(0)
}

/** Longer than any stream needs to bring what is there already; what is still missing then is missing. */
async function caughtUp(condition: () => boolean): Promise<void> {
  for (let left = 1_000; left > 0 && !condition(); left--) await Bun.sleep(20)
}
