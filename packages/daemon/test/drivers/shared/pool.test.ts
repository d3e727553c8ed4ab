import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { afterAll, describe, expect, test } from "vitest"
import type { Exit } from "../../../src/core/driver-sink.ts"
import type { Child } from "../../../src/core/supervisor.ts"
import { Pool, type PoolMember, type PoolOptions, type ServerHooks } from "../../../src/drivers/shared/pool.ts"
import { createSupervisor } from "../../../src/supervisor/supervisor.ts"
import { gone, lives } from "../../supervisor/processes.ts"

const supervisor = createSupervisor({ daemonId: `pool-${process.pid}`, log: () => undefined })
afterAll(() => supervisor.stopAll())

interface Server {
  child: Child
  said: number
  ask(): Promise<unknown>
  stop(): Promise<void>
}

/** A real process that ends with its input, and what the pool told of it. */
class TestPool {
  readonly pool: Pool<Server>
  readonly started: ServerHooks[] = []
  readonly lost: { name: string; exit: Exit }[] = []
  readonly drained: string[] = []
  script = "cat"
  ask = (): Promise<unknown> => Promise.resolve()

  constructor(options: PoolOptions = {}) {
    this.pool = new Pool<Server>({ lingerMs: 0, backoffMs: 5, backoffMaxMs: 20, ...options })
  }

  async start(hooks: ServerHooks): Promise<Server> {
    this.started.push(hooks)
    const started = Promise.withResolvers<void>()
    const child = supervisor.spawn({
      owner: "pool:test",
      label: "shared",
      command: ["sh", "-c", `echo up; ${this.script}`],
      directory: "/",
      env: {},
      onLine: () => started.resolve(),
      onExit: (exit) => hooks.lost(exit),
      gate: () => hooks.room(),
    })
    await started.promise
    return { child, said: 0, ask: () => this.ask(), stop: async () => void (await child.stop()) }
  }

  lease(name: string, key = "key", member: Partial<PoolMember> = {}) {
    const whole: PoolMember = {
      lost: (exit) => this.lost.push({ name, exit }),
      draining: () => this.drained.push(name),
      ...member,
    }
    return this.pool.lease(key, whole, (hooks) => this.start(hooks))
  }
}

describe("a shared server", () => {
  test("is started once for all who ask at the same time, and another key has its own", async () => {
    const servers = new TestPool()
    const [one, two, other] = await Promise.all([
      servers.lease("one"),
      servers.lease("two"),
      servers.lease("three", "b"),
    ])
    expect(one.server).toBe(two.server)
    expect(other.server).not.toBe(one.server)
    expect(servers.started.length).toBe(2)
    for (const lease of [one, two, other]) lease.release()
  })

  test("stops when its last member leaves, not before, and is not told as lost", async () => {
    const servers = new TestPool()
    const [one, two] = await Promise.all([servers.lease("one"), servers.lease("two")])
    const { pid } = one.server.child
    one.release()
    one.release()
    await Bun.sleep(50)
    expect(lives(pid)).toBe(true)
    two.release()
    await gone(pid)
    expect(servers.lost).toEqual([])
    const again = await servers.lease("three")
    expect(again.server.child.pid).not.toBe(pid)
    expect(servers.started[1]?.again).toBe(false)
    again.release()
  })

  test("is kept for the next member while it lingers", async () => {
    const servers = new TestPool({ lingerMs: 60_000 })
    const one = await servers.lease("one")
    one.release()
    const two = await servers.lease("two")
    expect(two.server).toBe(one.server)
    await two.server.stop()
  })

  test("that dies is told once to each member, with its exit; the next lease starts a new one", async () => {
    const servers = new TestPool()
    const [one, two] = await Promise.all([servers.lease("one"), servers.lease("two")])
    await one.server.child.kill()
    expect(servers.lost.map(({ name, exit }) => [name, exit.signal])).toEqual([
      ["one", "SIGKILL"],
      ["two", "SIGKILL"],
    ])
    one.release()
    two.release()
    const [again, too] = await Promise.all([servers.lease("one"), servers.lease("two")])
    expect(again.server).toBe(too.server)
    expect(servers.started.map((hooks) => hooks.again)).toEqual([false, true])
    again.release()
    too.release()
  })

  test("that died early twice is started later, and at once after one that finished work", async () => {
    const backoffMs = 1_000
    const servers = new TestPool({ backoffMs, backoffMaxMs: backoffMs })
    const die = async () => (await servers.lease("one")).server.child.kill()
    await die()
    const before = Date.now()
    await die()
    // Counted from its death, which takes as long as it takes until it is told: the next one is never there sooner.
    const lease = await servers.lease("one")
    expect(Date.now() - before).toBeGreaterThanOrEqual(backoffMs)
    lease.proven()
    await lease.server.child.kill()
    const asked = servers.lease("one")
    await Promise.race([asked, Bun.sleep(0)])
    expect(servers.started.length).toBe(4)
    ;(await asked).release()
  })

  test("that cannot start fails all who wait, and the next who asks has it tried again", async () => {
    const servers = new TestPool()
    const fail = () => Promise.reject(new Error("no such program"))
    const member = { lost: () => undefined }
    const both = [servers.pool.lease("key", member, fail), servers.pool.lease("key", { ...member }, fail)]
    for (const lease of both) await expect(lease).rejects.toThrow("no such program")
    const lease = await servers.lease("one")
    expect(lives(lease.server.child.pid)).toBe(true)
    lease.release()
  })

  test("that drains serves whom it has and nobody new, and stops after the last of them", async () => {
    const servers = new TestPool({ lingerMs: 60_000 })
    const [stuck, busy] = await Promise.all([servers.lease("stuck"), servers.lease("busy")])
    stuck.drain()
    expect(servers.drained).toEqual(["stuck", "busy"])
    expect(busy.draining).toBe(true)
    const fresh = await servers.lease("fresh")
    expect(fresh.server).not.toBe(busy.server)
    expect(fresh.draining).toBe(false)
    stuck.release()
    expect(lives(busy.server.child.pid)).toBe(true)
    busy.release()
    await gone(busy.server.child.pid)
    expect(servers.lost).toEqual([])
    expect(lives(fresh.server.child.pid)).toBe(true)
    await fresh.server.stop()
  })

  test("is not read while one of its members has no room", async () => {
    const servers = new TestPool()
    let full: PromiseWithResolvers<void> | undefined
    await servers.lease("narrow", "key", { room: () => full?.promise })
    const [hooks] = servers.started
    expect(hooks?.room()).toBeUndefined()
    full = Promise.withResolvers()
    const wide = await servers.lease("wide", "key", { room: () => undefined })
    expect(hooks?.room()).toBe(full.promise)
    await wide.server.stop()
  })
})

describe("a shared server that is slow to start", () => {
  const slow = (started: ServerHooks[]) => async (hooks: ServerHooks) => {
    started.push(hooks)
    return never()
  }

  test("is given up when nobody waits for it any more; who comes then gets another", async () => {
    const { pool } = new TestPool()
    const started: ServerHooks[] = []
    const [one, two] = [new AbortController(), new AbortController()]
    const waiting = [one, two].map(({ signal }) => pool.lease("key", { lost: () => {} }, slow(started), { signal }))
    const failed = Promise.allSettled(waiting)
    one.abort()
    await expect(waiting[0]).rejects.toThrow("given up")
    expect(started.map(({ signal }) => signal.aborted)).toEqual([false])
    two.abort()
    await failed
    expect(started.map(({ signal }) => signal.aborted)).toEqual([true])
    const server = { child: undefined as never, said: 0, ask: async () => {}, stop: async () => {} }
    expect((await pool.lease("key", { lost: () => {} }, async () => server)).server).toBe(server)
  })

  /** One member has the server, and another gives up for want of an answer. */
  async function hang(servers: TestPool, kept = servers.lease("kept"), said = 0) {
    const lease = await kept
    const impatient = new AbortController()
    const { signal } = impatient
    const opening = await servers.pool.lease("key", { lost: () => {} }, (hooks) => servers.start(hooks), { signal })
    lease.server.said += said
    impatient.abort(new SandboxAgentError("timeout", "no answer"))
    opening.release()
    return lease
  }
  const never = () => new Promise<never>(() => {})

  test("that gives one no answer is kept by the others while it answers; who comes meanwhile gets another", async () => {
    const servers = new TestPool()
    const answered = Promise.withResolvers<void>()
    servers.ask = () => answered.promise
    const kept = await hang(servers)
    const doubtful = await servers.lease("meanwhile")
    expect(doubtful.server).not.toBe(kept.server)
    answered.resolve()
    expect([servers.drained, lives(kept.server.child.pid)]).toEqual([[], true])
    for (const one of [kept, doubtful]) one.release()
    await gone(kept.server.child.pid)
  })

  test("that answers at once, or goes on speaking to others, is joined by who comes next", async () => {
    const servers = new TestPool({ answerMs: 600_000 })
    const kept = await hang(servers)
    await new Promise(setImmediate)
    const next = await servers.lease("next")
    expect(next.server).toBe(kept.server)
    servers.ask = never
    await hang(servers, Promise.resolve(kept), 1)
    const last = await servers.lease("last")
    expect([last.server === kept.server, servers.drained]).toEqual([true, []])
    for (const one of [kept, next, last]) one.release()
  })

  test("that answers nobody is left by the others", async () => {
    const servers = new TestPool({ answerMs: 1 })
    servers.ask = never
    const kept = await hang(servers)
    const next = await servers.lease("next")
    expect(next.server).not.toBe(kept.server)
    await expect.poll(() => servers.drained).toEqual(["kept"])
    kept.release()
    await gone(kept.server.child.pid)
    next.release()
  })

  test.each([
    ["the pool has", { startMs: 20 }, {}],
    ["who starts it has", {}, { startMs: 20 }],
  ])("is given up after the startMs that %s, for whoever waits", async (_, ofPool, ofLease) => {
    const { pool } = new TestPool(ofPool)
    const started: ServerHooks[] = []
    const waiting = pool.lease("key", { lost: () => {} }, slow(started), ofLease)
    await expect(waiting).rejects.toMatchObject({ code: "timeout" })
    expect(started[0]?.signal.aborted).toBe(true)
  })

  test("and is there after all, though nobody wants it, is stopped", async () => {
    const { pool } = new TestPool()
    const [started, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const start = async () => {
      await started.promise
      return { child: undefined as never, said: 0, ask: async () => {}, stop: async () => stopped.resolve() }
    }
    const giveUp = new AbortController()
    const waiting = pool.lease("key", { lost: () => {} }, start, { signal: giveUp.signal })
    giveUp.abort()
    await expect(waiting).rejects.toThrow("given up")
    started.resolve()
    await stopped.promise
  })
})
