import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Event } from "@sandbox-agent/schema/event"
import { full, rounds } from "@sandbox-agent/test-agents/extent"
import { expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { Follower, storedTexts } from "../streaming/follower.ts"
import { expectRowsEqualFold, keptDirectory, storedLog, storedSessions, withDatabase } from "./database.ts"
import { faultsOf } from "./invariants.ts"
import { Survivor, seeded, unlessBroken } from "./survivor.ts"

const KILLS = rounds(10, 50)
/** Another number tries other moments. */
const SEED = Number(process.env.KILL_SEED ?? 42)
const scripts: Record<string, string[]> = {
  stream: ["/stream 3000 20", "/stream 600 200\n/echo done"],
  run: ["/run for i in 1 2 3 4 5 6 7 8; do echo $i; sleep 0.02; done", "/run echo quick", "/tool Look {}\n/sleep 30"],
  permission: ["/permission echo allowed", "words before\n/permission sleep 0.1\nwords after"],
  question: ["/question", "/think about it\n/question\n/subagent"],
  queue: ["one", "two\n/subagent", "/sleep 40", "four words in it", "/flood 50 500"],
  background: ["/background 30", "/subagent", "/background 5\n/run sleep 0.05"],
}

/** Kills at the n-th event that any client saw, or a while after the first message was taken: all may wait for an answer. */
async function live(
  daemon: TestDaemon,
  clients: readonly Survivor[],
  everything: Follower,
  events: { count: number; reached: () => void },
  random: () => number,
): Promise<void> {
  const reached = new Promise<void>((resolve) => {
    events.reached = resolve
  })
  events.count = Math.ceil(random() ** 2 * 4_000)
  const follows = clients.map((client) => client.follow(daemon.api))
  follows.push(everything.read(daemon.api).catch(unlessBroken))
  const taken = Promise.withResolvers<void>()
  const works = clients.map((client) => client.work(daemon.api, 1 + Math.floor(random() * 3), taken.resolve))
  const pause = 50 + random() * 500
  await Promise.race([reached, taken.promise.then(() => Bun.sleep(pause))])
  daemon.kill("SIGKILL")
  await daemon.exited
  await Promise.all([...follows, ...works])
}

test(`nothing that was told is lost over ${KILLS} kills, and everything that began has an end`, async () => {
  const dataDir = keptDirectory()
  const random = seeded(SEED)
  const events = { count: 0, reached: () => {} }
  const seen = () => --events.count === 0 && events.reached()
  const clients = Object.entries(scripts).map(([id, lines]) => new Survivor(id, lines, random, seen))
  const everything = new Follower("of all sessions", 0, "/v1/events/sse")
  {
    await using daemon = await startDaemon({ dataDir })
    // What these run is not what they ask about.
    const freely = ["run", "background"]
    for (const { id } of clients)
      await daemon.api.create(id, { permissionMode: freely.includes(id) ? "bypass" : "default" })
  }
  for (let kill = 0; kill < KILLS; kill++) {
    await using daemon = await startDaemon({ dataDir })
    await live(daemon, clients, everything, events, random)
  }
  {
    await using daemon = await startDaemon({ dataDir })
    await Promise.all(clients.map((client) => rest(daemon, client)))
    expect(await daemon.stop()).toBe(0)
  }
  {
    // Nothing is queued any more and no agent runs: what is in the logs now is all there will be.
    await using daemon = await startDaemon({ dataDir })
    for (const client of clients) await verify(daemon, client)
  }
  withDatabase(dataDir, (db) => {
    for (const session of storedSessions(db)) expectRowsEqualFold(db, session)
    const lifecycle = storedLog(db, 0).slice(0, everything.last)
    expect(lifecycle).toEqual(everything.texts.map((text) => JSON.parse(text) as Event))
    expect(lifecycle.length).toBeGreaterThanOrEqual(clients.length)
    expect(lifecycle.filter((event, i) => event.time < (lifecycle[i - 1]?.time ?? ""))).toEqual([])
  })
  expectSentAtMostOnce(dataDir)
}, 240_000)

/** Answers what is asked until a last message, behind all others in the queue, was answered. */
async function rest(daemon: TestDaemon, { id, accepted }: Survivor): Promise<void> {
  const last = `${id}-last`
  const answering = new Survivor(
    id,
    [],
    () => 0,
    () => {},
  )
  const answered = answering.follow(
    daemon.api,
    (event) => event.type === "turn.ended" && event.data.message_ids.includes(last),
  )
  await daemon.api.send(id, "/echo the last", { messageId: last })
  accepted.add(last)
  await answered
}

async function verify({ api }: TestDaemon, client: Survivor): Promise<void> {
  const { id, follower, accepted } = client
  const { lastSequence } = await api.session(id)
  if (follower.last < lastSequence) await follower.read(api, () => follower.last === lastSequence)
  expect(
    (await storedTexts(api, id)) === follower.texts.join(","),
    `${id}: what the client has is what is stored`,
  ).toBe(true)
  const log = follower.texts.map((text) => JSON.parse(text) as Event)
  expect(log[0]?.sequence).toBe(1)
  expect(faultsOf(log), id).toEqual([])
  const states = new Map<string, string>()
  const dispatched = new Set<string>()
  const restarted = new Set<string>()
  for (const event of log) {
    if (event.type === "message.updated") states.set(event.data.message_id, event.data.state)
    if (event.type === "message.updated" && event.data.error?.code === "daemon_restarted")
      restarted.add(event.data.message_id)
    if (event.type === "turn.started") for (const message of event.data.message_ids) dispatched.add(message)
  }
  for (const message of accepted) {
    expect(["taken", "failed"], `${message} was accepted`).toContain(states.get(message))
    // Failed only if it was on its way to the agent; one that waited ran later.
    expect(dispatched.has(message), `${message} was sent`).toBe(true)
  }
  const failed = [...states].filter(([, state]) => state === "failed").map(([message]) => message)
  for (const message of failed) expect(restarted.has(message), `${message} failed by a kill`).toBe(true)
  const cut = log.filter((event) => event.type === "turn.ended" && event.data.error?.code === "daemon_restarted").length
  // A few kills need not hit every session.
  if (full) expect(cut, `${id}: turns cut by kills`).toBeGreaterThan(0)
}

/** The agents' own files: no message reached one of them twice. */
function expectSentAtMostOnce(dataDir: string): void {
  const folder = join(dataDir, "agents/mock/sessions")
  expect(existsSync(folder)).toBe(true)
  const sent = readdirSync(folder).flatMap((file) =>
    [...readFileSync(join(folder, file), "utf8").matchAll(/"type":"user","message":"([^"]+)"/g)].map(([, id]) => id),
  )
  // One that was on its way at a kill may not have got there.
  expect(sent.length).toBeGreaterThan(0)
  expect(sent.filter((id, i) => sent.indexOf(id) !== i)).toEqual([])
}
