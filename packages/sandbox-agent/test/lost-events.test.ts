import { Database } from "bun:sqlite"
import { join } from "node:path"
import { expect, test } from "vitest"
import {
  type Event,
  ProblemError,
  SandboxAgentClient,
  type Session,
  type TranscriptState,
} from "../src/sandbox-agent.ts"
import { TestDaemon, token } from "./harness/daemon.ts"

const clientOf = (daemon: TestDaemon, transcriptPage = 1000) =>
  new SandboxAgentClient({ autoConnect: false, baseUrl: daemon.baseUrl, token, limits: { transcriptPage } })

/** All that can be read of a log from here, and what ended it. */
async function readFrom(
  client: SandboxAgentClient,
  offset: number,
  last: number,
): Promise<{ seen: Event[]; error?: unknown }> {
  const seen: Event[] = []
  try {
    for await (const event of client.streamEvents("s", { offset })) {
      seen.push(event)
      if (event.sequence === last) break
    }
    return { seen }
  } catch (error) {
    return { seen, error }
  }
}

function loaded({ transcript }: Session): Promise<TranscriptState> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const state = transcript.getSnapshot()
      if (state.error !== undefined) reject(state.error)
      if (!state.loading) resolve(state)
    }
    transcript.subscribe(look)
    look()
  })
}

/** Overwrites what is stored of some events in the middle of the log. */
function damage(home: string): { first: number; last: number } {
  using db = new Database(join(home, "data/sandbox-agent.db"))
  const rows = db.query("SELECT seq, count FROM log ORDER BY seq").all() as { seq: number; count: number }[]
  const { seq, count } = rows[Math.floor(rows.length / 2)] ?? expect.unreachable("the log is empty")
  db.run("UPDATE log SET frames = zeroblob(length(frames)) WHERE seq = ?", [seq])
  return { first: seq, last: seq + count - 1 }
}

const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)

test("damaged events end the stream with where to go on; the transcript is whole all the same", async () => {
  await using daemon = await TestDaemon.start()
  const client = clientOf(daemon)
  const session = await client.startSession({ id: "s", agent: "mock" })
  await session.prompt("/stream 3000")
  await session.prompt("/echo after")
  await daemon.end("SIGTERM")
  const hurt = damage(daemon.home)
  await daemon.begin()
  const { lastSequence } = await client.getSession("s")
  const first = await readFrom(client, 0, lastSequence)
  expect(first.seen.map(({ sequence }) => sequence)).toEqual(range(1, hurt.first - 1))
  expect(first.error).toBeInstanceOf(ProblemError)
  expect(first.error).toMatchObject({ code: "internal", problem: { firstDamaged: hurt.first, offset: hurt.last } })
  const rest = await readFrom(client, hurt.last, lastSequence)
  expect(rest.seen.map(({ sequence }) => sequence)).toEqual(range(hurt.last + 1, lastSequence))
  // One page at a time, and all at once.
  for (const page of [400, 10_000]) {
    using again = clientOf(daemon, page).session("s")
    await loaded(again)
    while (again.transcript.getSnapshot().hasOlder) await again.transcript.loadOlder()
    const { items } = await client.listItems("s")
    expect(again.transcript.getSnapshot().items).toEqual(items)
    await session.prompt("/echo live")
    await expect.poll(() => again.transcript.getSnapshot().items.length).toBe(items.length + 2)
  }
})

test("events that are no longer kept are gone, with where the log begins; the transcript has their items", async () => {
  await using daemon = await TestDaemon.start()
  const client = clientOf(daemon)
  const session = await client.startSession({ id: "s", agent: "mock" })
  await session.prompt("/echo long ago")
  await daemon.end("SIGTERM")
  await daemon.begin("--retention-bytes", "1", "--interval", "tidyMs=50")
  // Not followed: its events are cut in a moment.
  await session.send("/echo a while ago")
  let info = await client.getSession("s")
  const isCut = () => info.status === "idle" && info.queue.length === 0 && info.firstSequence > info.lastSequence
  while (!isCut() || (await client.listItems("s")).items.length < 4) info = await client.getSession("s")
  const { seen, error } = await readFrom(client, 1, info.lastSequence)
  expect(seen).toEqual([])
  expect(error).toMatchObject({ kind: "problem", code: "gone", problem: { firstSequence: info.firstSequence } })
  const { items } = await client.listItems("s")
  expect((await loaded(session)).items).toEqual(items)
  expect(items).toHaveLength(4)
  session.close()
})
