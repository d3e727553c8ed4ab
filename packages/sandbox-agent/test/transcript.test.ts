import { afterAll, beforeAll, expect, test } from "vitest"
import { type ClientOptions, SandboxAgentClient, type Session, type TranscriptState } from "../src/sandbox-agent.ts"
import { TestDaemon, token } from "./harness/daemon.ts"

let daemon: TestDaemon
let client: SandboxAgentClient
const quick = { pauseMinMs: 2, pauseMaxMs: 50, reconnectAttempts: Number.POSITIVE_INFINITY }
const make = (options: Partial<ClientOptions> = {}) =>
  new SandboxAgentClient({ autoConnect: false, baseUrl: daemon.baseUrl, token, limits: quick, ...options })
beforeAll(async () => {
  daemon = await TestDaemon.start()
  client = make()
})
afterAll(() => daemon[Symbol.asyncDispose]())

/** The first snapshot of which it holds. */
function when({ transcript }: Session, holds: (state: TranscriptState) => boolean): Promise<TranscriptState> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const state = transcript.getSnapshot()
      if (state.error !== undefined) reject(state.error)
      if (!holds(state)) return
      resolve(state)
      unsubscribe()
    }
    const unsubscribe = transcript.subscribe(look)
    look()
  })
}

/** It says what the daemon says of the same sequence. */
async function agrees(session: Session): Promise<TranscriptState> {
  const { items, sequence } = await client.listItems(session.id)
  const state = await when(session, (now) => !now.loading && now.sequence >= sequence && !now.hasOlder)
  if (state.sequence !== sequence) return agrees(session)
  expect(state.items).toEqual(items)
  return state
}

const everything = ["/think a thought", "/tool Read {}", "/todo", "/usage", "/subagent", "/echo done"].join("\n")

test("it says when items, turns and requests began and ended, also of pages that came later", async () => {
  using writer = await client.startSession({ agent: "mock", directory: daemon.home })
  const asked = writer.onPermission(() => "once")
  await writer.prompt("/permission true\n/stream 30 5\n/echo last")
  asked()
  const log = (await client.getEvents(writer.id, { limit: 1000 })).events
  using reader = make({ limits: { ...quick, transcriptPage: 5 } }).session(writer.id)
  const unsubscribe = reader.transcript.subscribe(() => undefined)
  let state = await when(reader, (now) => !now.loading)
  while (state.hasOlder) {
    await reader.transcript.loadOlder()
    state = reader.transcript.getSnapshot()
  }
  const spans = (id: string) => reader.transcript.spanOf(id)
  const ids = log.flatMap((event) =>
    event.type === "item.started"
      ? [event.data.item.item_id]
      : event.type === "turn.started"
        ? [event.data.turn_id]
        : event.type === "permission.requested"
          ? [event.data.permission_id]
          : [],
  )
  expect(ids.length).toBeGreaterThan(5)
  for (const id of ids) {
    const own = log.filter(({ type, data }) => type !== "item.delta" && JSON.stringify(data).includes(`"${id}"`))
    const begun = own.find(({ type }) => /started|requested/.test(type))
    const ended = own.findLast(({ type }) => /completed|ended|resolved/.test(type))
    expect(spans(id)?.from).toBe(begun?.sequence)
    expect(spans(id)?.startedAt).toBe(begun?.time)
    expect(spans(id)?.endedAt !== undefined && (spans(id)?.to ?? 0) <= (ended?.sequence ?? 0)).toBe(true)
  }
  expect(spans("nothing")).toBe(undefined)
  unsubscribe()
})

test("it is what the daemon folds, of a past and of a turn that is watched", async () => {
  using session = await client.startSession({ agent: "mock", directory: daemon.home })
  await session.prompt(everything)
  const state = await agrees(session)
  expect(state.plan.length).toBeGreaterThan(0)
  expect(state.session).toMatchObject({ status: "idle", usage: { input_tokens: expect.any(Number) } })
  expect(state.turns).toMatchObject([{ ended: { stop_reason: "end_turn" } }])
  const unsubscribe = session.transcript.subscribe(() => undefined)
  await session.prompt(everything)
  await session.prompt("/stream 300 5")
  const live = await agrees(session)
  expect(live.turns).toHaveLength(3)
  expect(live.session?.lastSequence).toBeLessThan(live.sequence)
  unsubscribe()
})

test("it tells why the last turn failed, as the daemon does, until the next one begins", async () => {
  using session = await client.startSession({ agent: "mock", directory: daemon.home })
  const unsubscribe = session.transcript.subscribe(() => undefined)
  for (const script of ["/error too much to do", "/crash 7"]) {
    await expect(session.prompt(script)).rejects.toThrow()
    const { session: live } = await agrees(session)
    expect(live?.error?.message).toBeTruthy()
    expect(live?.error).toEqual((await client.getSession(session.id)).error)
  }
  await session.prompt("/echo well again")
  expect((await agrees(session)).session?.error).toBe(undefined)
  unsubscribe()
})

test("a snapshot stays until something changes, and keeps what did not", async () => {
  using session = await client.startSession({ agent: "mock" })
  await session.prompt("/echo settled")
  const before = await agrees(session)
  const snapshots: TranscriptState[] = []
  const written: string[] = []
  const unsubscribe = session.transcript.subscribe(() => {
    snapshots.push(session.transcript.getSnapshot())
    written.push(JSON.stringify(snapshots.at(-1)?.items))
  })
  await when(session, ({ loading }) => !loading)
  expect(session.transcript.getSnapshot()).toBe(session.transcript.getSnapshot())
  await session.prompt("/flood 200 2000")
  const after = await agrees(session)
  unsubscribe()
  expect(snapshots.length).toBeGreaterThan(1)
  const [first, ...others] = before.items
  for (const state of [...snapshots, after]) {
    expect(state.items[0]).toBe(first)
    expect(state.items.slice(0, before.items.length)).toEqual([first, ...others])
  }
  // An old snapshot is never written to.
  expect(snapshots.map(({ items }) => JSON.stringify(items))).toEqual(written)
  expect(before.items).toHaveLength(1 + others.length)
  const growing = snapshots.map(({ items }) => items.at(-1)?.content[0]).filter((part) => part?.type === "text")
  expect(new Set(growing).size).toBeGreaterThan(1)
})

test("the past comes by page, also in the middle of a long answer", async () => {
  using session = await client.startSession({ agent: "mock" })
  for (const turn of ["/stream 400 3", everything, "/stream 100 3"]) await session.prompt(turn)
  const paged = make({ limits: { ...quick, transcriptPage: 50 } })
  using reader = paged.session(session.id)
  const first = await when(reader, ({ loading }) => !loading)
  expect(first.hasOlder).toBe(true)
  const { items } = await client.listItems(session.id)
  expect(first.items.length).toBeLessThan(items.length)
  expect(first.items).toEqual(items.slice(items.length - first.items.length))
  const last = first.items.at(-1)
  let pages = 0
  while (reader.transcript.getSnapshot().hasOlder) {
    await Promise.all([reader.transcript.loadOlder(), reader.transcript.loadOlder()])
    pages++
    const now = reader.transcript.getSnapshot()
    expect(now.items).toEqual(items.slice(items.length - now.items.length))
    expect(now.items.at(-1)).toBe(last)
  }
  expect(pages).toBeGreaterThan(3)
  expect(reader.transcript.getSnapshot().items).toEqual(items)
  expect(reader.transcript.getSnapshot().turns).toHaveLength(3)
})

test("what is being said is whole for who comes in the middle of it", async () => {
  using session = await client.startSession({ agent: "mock" })
  const turn = session.prompt("/flood 100000 500").catch((error) => error)
  await expect.poll(async () => (await session.info()).lastSequence).toBeGreaterThan(100)
  const paged = make({ limits: { ...quick, transcriptPage: 20 } })
  using reader = paged.session(session.id)
  const state = await when(reader, ({ loading }) => !loading)
  const open = state.items.at(-1)
  const deltas: string[] = []
  for await (const event of client.streamEvents(session.id)) {
    if (event.type === "item.delta" && event.data.item_id === open?.item_id) deltas.push(event.data.delta)
    if (event.sequence === state.sequence) break
  }
  expect(deltas.length).toBeGreaterThan(20)
  expect(open).toMatchObject({ status: "in_progress", content: [{ type: "text", text: deltas.join("") }] })
  expect(state.session?.status).toBe("running")
  await session.cancel()
  await turn
  expect((await when(reader, ({ session: now }) => now?.status === "idle")).items.at(-1)).toEqual(
    (await client.listItems(session.id)).items.at(-1),
  )
})

test("what waits for a person is there, of before and live, until it is answered", async () => {
  using session = await client.startSession({ agent: "mock" })
  const turn = session.prompt("/permission true\n/question")
  const asked = await when(session, ({ permissions }) => permissions.length === 1)
  expect(asked.session?.status).toBe("waiting")
  using late = client.session(session.id)
  const seen = await when(late, ({ loading }) => !loading)
  expect(seen.permissions).toEqual(asked.permissions)
  await client.replyPermission(session.id, asked.permissions[0]?.permission_id ?? "", "once")
  const { questions, permissions } = await when(session, (state) => state.questions.length === 1)
  expect(permissions).toEqual([])
  await client.replyQuestion(session.id, questions[0]?.question_id ?? "", [[questions[0]?.options[0] ?? ""]])
  await turn
  expect((await when(session, (state) => state.questions.length === 0)).permissions).toEqual([])
})

test("it goes on through a restart of the daemon, and from where it was when nobody looked", async () => {
  using session = await client.startSession({ agent: "mock" })
  const unsubscribe = session.transcript.subscribe(() => undefined)
  await session.prompt("/echo one")
  await daemon.restart()
  await session.prompt("/echo two")
  await agrees(session)
  unsubscribe()
  await session.prompt("/echo three")
  await agrees(session)
})

test("a session that is gone is told", async () => {
  using session = client.session("never")
  await expect(when(session, () => false)).rejects.toMatchObject({ code: "session_not_found" })
  expect(session.transcript.getSnapshot()).toMatchObject({ loading: false, error: { status: 404 } })
})
