import { expect, test } from "vitest"
import { SandboxAgentClient, type SandboxAgentError } from "../src/sandbox-agent.ts"
import { Ingest } from "../src/store/ingest.ts"
import { MemoryStore } from "../src/store/memory.ts"
import { namedBlobs } from "../src/store/stored-blobs.ts"
import { TestDaemon, token } from "./harness/daemon.ts"
import { startFront } from "./harness/front.ts"
import { expectSame, storedEvents } from "./harness/stored-logs.ts"

const quick = { pauseMinMs: 2, pauseMaxMs: 20 }
const clientOf = ({ baseUrl }: { baseUrl: string }) =>
  new SandboxAgentClient({ autoConnect: false, baseUrl, token, limits: quick })

test("sessions of several sandboxes, of before and of now, each event once", async () => {
  await using one = await TestDaemon.start()
  await using two = await TestDaemon.start()
  const clients = { one: clientOf(one), two: clientOf(two) }
  const before = await clients.one.startSession({ id: "same", agent: "mock", title: "Before" })
  await before.prompt("/stream 700 5")
  const store = new MemoryStore()
  await using ingest = new Ingest(store, { batchEvents: 50 })
  for (const [name, client] of Object.entries(clients)) ingest.add(name, client)
  expect(() => ingest.add("one", clients.one)).toThrow("already")
  const now = await clients.two.startSession({ id: "same", agent: "mock" })
  await Promise.all([before.prompt("/echo a needle"), now.prompt("/stream 300 5")])
  expect(await expectSame(store, { sandbox: "one", id: "same" }, clients.one)).toBeGreaterThan(700)
  expect(await expectSame(store, { sandbox: "two", id: "same" }, clients.two)).toBeGreaterThan(300)
  expect(await store.get({ sandbox: "one", id: "same" })).toMatchObject({ info: { title: "Before" }, lost: [] })
  expect((await store.search("needle")).map(({ session }) => session.sandbox)).toContain("one")
  // One that is deleted stays in the store, and its name is free for another.
  const last = (await store.get({ sandbox: "one", id: "same" }))?.lastSequence ?? 0
  await clients.one.deleteSession("same")
  await expect.poll(async () => (await store.get({ sandbox: "one", id: "same" }))?.deletedAt).toBeDefined()
  await clients.one.startSession({ id: "same", agent: "mock", title: "After" })
  await expectSame(store, { sandbox: "one", id: "same" }, clients.one)
  const { sessions } = await store.list({ sandbox: "one" })
  // Deleting may have said something to the first one.
  expect(sessions.map(({ info, lastSequence }) => [info.title, lastSequence >= last])).toEqual([
    ["After", false],
    ["Before", true],
  ])
})

test("more sessions than are read at once, some of which wait for a person", async () => {
  await using daemon = await TestDaemon.start()
  const client = clientOf(daemon)
  const store = new MemoryStore()
  await using ingest = new Ingest(store, { streams: 1 })
  ingest.add("box", client)
  const waiting = await Promise.all([0, 1].map((at) => client.startSession({ id: `waiting${at}`, agent: "mock" })))
  for (const session of waiting) await session.send("/permission command ls")
  await expect.poll(async () => (await client.getSession("waiting1")).pending.permissions).toBe(1)
  const busy = await client.startSession({ id: "busy", agent: "mock" })
  await busy.prompt("/stream 100 5")
  for (const id of ["busy", "waiting0", "waiting1"]) await expectSame(store, { sandbox: "box", id }, client)
  for (const session of waiting) session.onPermission(() => "once")
  await expect.poll(async () => (await client.getSession("waiting0")).status).toBe("idle")
  for (const id of ["waiting0", "waiting1"]) await expectSame(store, { sandbox: "box", id }, client)
  for (const session of waiting) session.close()
})

test("what the daemon had no more when it was first read is told, and all behind it is there", async () => {
  await using daemon = await TestDaemon.start("--retention-bytes", "1", "--interval", "tidyMs=50")
  const client = clientOf(daemon)
  await client.createSession("old", { agent: "mock" })
  await client.postMessage("old", { message: "/echo long ago" })
  let info = await client.getSession("old")
  while (info.status !== "idle" || info.firstSequence <= info.lastSequence) info = await client.getSession("old")
  const store = new MemoryStore()
  await using ingest = new Ingest(store)
  ingest.add("box", client)
  const ref = { sandbox: "box", id: "old" }
  await expect.poll(async () => (await store.get(ref))?.lastSequence).toBe(info.lastSequence)
  const stored = await store.get(ref)
  const events = await storedEvents(store, ref)
  const lost = stored?.lost.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at)) ?? []
  const known = [...lost, ...events.map(({ sequence }) => sequence)].sort((a, b) => a - b)
  expect(lost.length).toBeGreaterThan(0)
  expect(known).toEqual(known.map((_, at) => at + 1))
})

test("a picture that is too large, or not what its hash says, is left out and its session is read on", async () => {
  await using daemon = await TestDaemon.start()
  const direct = clientOf(daemon)
  const session = await direct.startSession({ id: "s", agent: "mock" })
  const sizes = [10, 1_000_000]
  for (const size of sizes) {
    const data = Buffer.alloc(size, size).toString("base64")
    await session.prompt([
      { type: "text", text: "look" },
      { type: "file", data, mimeType: "text/plain" },
    ])
  }
  session.close()
  const [small = "", large = ""] = (await direct.listItems("s")).items.flatMap(namedBlobs)
  const ref = { sandbox: "box", id: "s" }
  const asked: string[] = []
  const left = Promise.withResolvers<void>()
  using front = await startFront(daemon.baseUrl, ({ path }, answer, pass) => {
    if (!path.includes("/blobs/")) return pass()
    asked.push(path.split("/").at(-1) ?? "")
    if (path.endsWith(small)) {
      answer.writeHead(200, { "content-type": "text/plain" })
      return void answer.end("something else")
    }
    // The rest never comes: whoever waits for it waits for ever.
    answer.on("close", left.resolve)
    answer.writeHead(200, { "content-type": "text/plain", "content-length": sizes[1] })
    answer.write(Buffer.alloc(100))
  })
  const errors: SandboxAgentError[] = []
  const store = new MemoryStore()
  {
    await using ingest = new Ingest(store, { blobBytes: 50_000, onError: (error) => errors.push(error) })
    ingest.add("box", clientOf(front))
    await expectSame(store, ref, direct)
    await left.promise
  }
  expect([await store.blob(ref, small), await store.blob(ref, large)]).toEqual([undefined, undefined])
  expect(errors).toMatchObject([{ kind: "protocol", message: expect.stringContaining(small) }])
  expect(asked).toEqual([small, large])
  const without = new MemoryStore()
  await using ingest = new Ingest(without, { blobBytes: 0 })
  ingest.add("box", clientOf(front))
  await expectSame(without, ref, direct)
  expect(asked).toHaveLength(2)
})

/** Counts how often a lease was asked for. */
class CountingStore extends MemoryStore {
  readonly asked: string[] = []

  override lease(...words: Parameters<MemoryStore["lease"]>) {
    this.asked.push(words[1])
    return super.lease(...words)
  }
}

test("two that read the same sandboxes share them; what one leaves the other takes", async () => {
  await using daemon = await TestDaemon.start()
  const client = clientOf(daemon)
  const session = await client.startSession({ id: "s", agent: "mock" })
  const store = new CountingStore()
  const first = new Ingest(store, { holder: "first", leaseMs: 200 })
  first.add("box", client)
  await expectSame(store, { sandbox: "box", id: "s" }, client)
  // Renewed for as long as it reads.
  await expect.poll(() => store.asked.length).toBeGreaterThan(3)
  await using second = new Ingest(store, { holder: "second", leaseMs: 200 })
  second.add("box", client)
  await session.prompt("/stream 200 5")
  await expectSame(store, { sandbox: "box", id: "s" }, client)
  await first.close()
  await expect.poll(() => store.asked.slice(-3)).toEqual(["second", "second", "second"])
  await session.prompt("/stream 200 5")
  await expectSame(store, { sandbox: "box", id: "s" }, client)
})

test("a daemon that is not there is waited for, and told", async () => {
  await using daemon = await TestDaemon.start()
  const client = clientOf(daemon)
  await client.createSession("s", { agent: "mock" })
  await daemon.end()
  const store = new MemoryStore()
  const errors: SandboxAgentError[] = []
  await using ingest = new Ingest(store, { leaseMs: 300, onError: (error) => errors.push(error) })
  ingest.add("box", client)
  await expect.poll(() => errors.length).toBeGreaterThan(1)
  expect(errors[0]).toMatchObject({ kind: "network" })
  await daemon.begin()
  await expectSame(store, { sandbox: "box", id: "s" }, client)
})
