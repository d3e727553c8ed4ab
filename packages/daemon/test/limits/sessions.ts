import { setImmediate } from "node:timers/promises"
import { limits } from "@sandbox-agent/schema/limits"
import { expect, onTestFinished, vi } from "vitest"
import { Core } from "../../src/core/core.ts"
import { createSession } from "../../src/core/creation.ts"
import { ensureOpen } from "../../src/core/opening.ts"
import { Puppet } from "../core/puppet.ts"
import { setStage } from "../core/stage.ts"
import { overfill } from "./overfill.ts"

overfill(["globalEvents"], "the log of all sessions keeps the last ones", async () => {
  await using stage = await setStage()
  const { context } = stage.core
  const { log } = context.global
  for (let i = 0; i < limits.globalEvents + 2 * limits.flushEvents; i++) {
    context.global.append("session.status", "one", { status: "idle" })
    if (i % 10_000 === 0) context.store.flush()
  }
  context.store.flush()
  stage.core.tidy()
  context.store.flush()
  expect(log.first).toBeGreaterThan(1)
  expect(log.last - log.first).toBeGreaterThanOrEqual(limits.globalEvents - limits.flushEvents)
  const [oldest] = context.reader.texts(log, log.first - 1, 1)
  expect(oldest?.sequence).toBe(log.first)
})

overfill(
  ["idleSessionsLoaded", "evictAfterMs"],
  "sessions at rest are forgotten, not those just looked at, and come back",
  async () => {
    await using stage = await setStage({
      idleStopMs: 1_000_000,
      behaviour: { open: () => Promise.reject(new Error("no")) },
    })
    const { sessions } = stage.core
    for (let i = 0; i < limits.idleSessionsLoaded + 9; i++) await createSession(sessions, `s${i}`, { agent: "puppet" })
    const loaded = () => [...sessions.loaded].length
    stage.core.tidy()
    expect(loaded()).toBe(limits.idleSessionsLoaded + 10)
    for (const s of sessions.loaded) s.touched = performance.now() - limits.evictAfterMs - 1
    stage.core.tidy()
    expect(loaded()).toBe(limits.idleSessionsLoaded)
    expect(sessions.get("s0").record.id).toBe("s0")
  },
)

overfill(
  ["idleAgents"],
  "of agents at rest the one that rested longest is stopped, and comes back with its next message",
  async () => {
    await using stage = await setStage()
    const { sessions, context } = stage.core
    const ids = Array.from({ length: limits.idleAgents + 2 }, (_, i) => `s${i}`)
    for (const id of ids) await createSession(sessions, id, { agent: "puppet" })
    const open = () => ["one", ...ids].filter((id) => sessions.get(id).native !== undefined)
    expect(open()).toEqual(ids.slice(2))
    await ensureOpen(sessions.get("s0"))
    expect(open()).toEqual(["s0", ...ids.slice(3)])
    expect(context.open.size).toBe(limits.idleAgents)
  },
)

overfill(["sessionsPageDefault"], "a list without a limit is no longer, and goes on with its cursor", async () => {
  await using stage = await setStage({ behaviour: { open: () => Promise.reject(new Error("no")) } })
  const { sessions } = stage.core
  for (let i = 0; i < limits.sessionsPageDefault; i++) await createSession(sessions, `s${i}`, { agent: "puppet" })
  const first = sessions.list({})
  expect(first.sessions).toHaveLength(limits.sessionsPageDefault)
  expect(sessions.list({ cursor: first.nextCursor }).sessions.map(({ id }) => id)).toEqual(["one"])
})

overfill(["resumeConcurrency"], "after a restart no more sessions are opened at once", async () => {
  await using stage = await setStage()
  const ids = Array.from({ length: limits.resumeConcurrency + 3 }, (_, i) => `s${i}`)
  for (const id of ids) {
    const { session } = await createSession(stage.core.sessions, id, { agent: "puppet" })
    stage.core.context.store.write(() =>
      stage.core.context.rows.saveMessage(session.record.uid, {
        id: "m",
        ord: 1,
        state: "queued",
        delivery: "queue",
        turnId: `turn_${id}`,
        text: "hi",
        attachments: [],
      }),
    )
  }
  await stage.core.stop()
  const held: (() => void)[] = []
  const puppet = new Puppet({ open: () => new Promise((resolve) => held.push(resolve)) })
  const next = new Core({ ...stage.core.options, drivers: new Map([["puppet", puppet]]) })
  next.recover()
  next.start()
  let most = 0
  for (let left = ids.length; left > 0; left--) {
    // All that may be opened at once, or all that are left; and a while for one too many.
    while (held.length < Math.min(left, limits.resumeConcurrency)) await setImmediate()
    for (let i = 0; i < 5; i++) await setImmediate()
    most = Math.max(most, held.length)
    held.shift()?.()
  }
  expect(most).toBe(limits.resumeConcurrency)
  await puppet.until("send", ids.length)
  await next.stop()
})

/** Only these: a store that commits needs the others. */
function fakeTimers(): void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  onTestFinished(() => void vi.useRealTimers())
}

overfill(
  ["deletedReadersMs"],
  "the log of a deleted session waits so long for its readers, and no longer",
  async () => {
    await using stage = await setStage()
    const { sessions } = stage.core
    const { session: other } = await createSession(sessions, "two", { agent: "puppet" })
    for (const s of [stage.session, other]) s.log.readers++
    fakeTimers()
    for (const s of [stage.session, other]) await sessions.delete(s)
    const purged = () => [stage.session, other].map(({ log }) => log.first > log.last)
    // One reader has all, the other never takes it.
    other.log.readers--
    await setImmediate()
    expect(purged()).toEqual([false, true])
    vi.advanceTimersByTime(limits.deletedReadersMs - 1)
    await setImmediate()
    expect(purged()).toEqual([false, true])
    vi.advanceTimersByTime(1)
    await setImmediate()
    expect(purged()).toEqual([true, true])
  },
)

class CountingCore extends Core {
  tidied = 0
  override tidy(): void {
    this.tidied++
    super.tidy()
  }
}

overfill(["retentionMs"], "a daemon that nobody uses looks for old events again after so long", async () => {
  await using stage = await setStage()
  await stage.core.stop()
  const core = new CountingCore({ ...stage.core.options, retention: { days: 1 } })
  fakeTimers()
  core.worked()
  vi.advanceTimersByTime(limits.tidyMs)
  expect(core.tidied).toBe(1)
  vi.advanceTimersByTime(limits.retentionMs - 1)
  expect(core.tidied).toBe(1)
  vi.advanceTimersByTime(1)
  expect(core.tidied).toBe(2)
  vi.useRealTimers()
  await core.stop()
})
