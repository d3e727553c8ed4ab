import { mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { claudeBinary } from "@sandbox-agent/test-agents/claude"
import { codexBinary } from "@sandbox-agent/test-agents/codex"
import { full } from "@sandbox-agent/test-agents/extent"
import { opencodeBinary } from "@sandbox-agent/test-agents/opencode"
import { piBinary } from "@sandbox-agent/test-agents/pi"
import { expect, test } from "vitest"
import { scriptedClaude } from "../../conformance/src/agents/claude.ts"
import { scriptedCodex } from "../../conformance/src/agents/codex.ts"
import { scriptedOpencode } from "../../conformance/src/agents/opencode.ts"
import { scriptedPi } from "../../conformance/src/agents/pi.ts"
import { toBase64 } from "../src/api/base64.ts"
import { type Item, SandboxAgentClient } from "../src/sandbox-agent.ts"
import { Ingest, restoreStored } from "../src/store/ingest.ts"
import { storeLimits } from "../src/store/limits.ts"
import { MemoryStore } from "../src/store/memory.ts"
import { namedBlobs } from "../src/store/stored-blobs.ts"
import { TestDaemon, token } from "./harness/daemon.ts"
import { expectSame } from "./harness/stored-logs.ts"

const clientOf = ({ baseUrl }: { baseUrl: string }) =>
  new SandboxAgentClient({ autoConnect: false, baseUrl, token, limits: { pauseMinMs: 2, pauseMaxMs: 20 } })

const textOf = (items: readonly Item[]): string[] =>
  items.flatMap(({ role, content }) =>
    content.map((part) => `${role}: ${part.type === "text" ? part.text : part.type}`),
  )

/** The first message that the mock was given in its native session, with what it was told before. */
function toldTo(daemon: TestDaemon, nativeSessionId = ""): { text: string; brief?: string } {
  const file = join(daemon.home, "data/agents/mock/sessions", `${nativeSessionId}.jsonl`)
  return JSON.parse(readFileSync(file, "utf8").split("\n")[0] ?? "")
}

test("a session whose sandbox died in the middle of a turn goes on in another one", async () => {
  const store = new MemoryStore()
  await using ingest = new Ingest(store, { onError: () => undefined })
  const lost = await TestDaemon.start()
  const before = clientOf(lost)
  ingest.add("lost", before)
  const session = await before.startSession({ id: "s", agent: "mock", title: "Old", metadata: { ticket: 42 } })
  await session.setPermissionMode("acceptEdits")
  await session.prompt("/echo papaya")
  const gone = session.prompt("/echo half of a mango\n/sleep 600000").catch((error: unknown) => error)
  const ref = { sandbox: "lost", id: "s" }
  await expect.poll(async () => (await store.search("half mango")).length).toBeGreaterThan(1)
  await lost[Symbol.asyncDispose]()
  await ingest.remove("lost")
  session.close()
  expect(await gone).toMatchObject({ name: expect.stringContaining("Error") })

  await using daemon = await TestDaemon.start()
  const client = clientOf(daemon)
  ingest.add("fresh", client)
  await expect(restoreStored(store, { sandbox: "lost", id: "nobody" }, client)).rejects.toMatchObject({
    code: "session_not_found",
  })
  // Its directory went with its sandbox.
  await expect(restoreStored(store, ref, client)).rejects.toMatchObject({ kind: "problem", code: "invalid_request" })
  const restored = await restoreStored(store, ref, client, { directory: daemon.home })
  expect(restored).toMatchObject({
    healthy: true,
    context: "rebuilt",
    isWhole: true,
    session: {
      id: "s",
      title: "Old",
      metadata: { ticket: 42 },
      permissionMode: "acceptEdits",
      // By how much of its end was stored.
      error: { code: expect.stringMatching(/^daemon_(stopping|restarted)$/) },
    },
  })
  const again = client.session("s")
  await again.prompt("/echo and on")
  const { items } = await client.listItems("s")
  const said = textOf(items)
  for (const text of ["user: /echo papaya", "assistant: papaya", "assistant: half of a mango", "assistant: and on"])
    expect(said).toContain(text)
  expect(items.some(({ status }) => status === "in_progress")).toBe(false)
  const { text, brief } = toldTo(daemon, (await again.info()).nativeSessionId)
  expect(text).toBe("/echo and on")
  for (const words of ["papaya", "half of a mango"]) expect(brief).toContain(words)
  // What goes on is stored as well, under its new sandbox.
  await expectSame(store, { sandbox: "fresh", id: "s" }, client)
  // To another agent goes what is everybody's.
  const other = restoreStored(store, ref, client, { id: "t", agent: "nobody's", directory: daemon.home })
  await expect(other).rejects.toMatchObject({ code: "unsupported_agent" })
})

test("why the last turn failed is told where the session goes on, until its next turn", async () => {
  const store = new MemoryStore()
  await using daemon = await TestDaemon.start()
  const client = clientOf(daemon)
  await using ingest = new Ingest(store)
  ingest.add("a", client)
  const session = await client.startSession({ id: "s", agent: "mock" })
  await session.prompt("/error the model is overloaded").catch((error: unknown) => error)
  await expectSame(store, { sandbox: "a", id: "s" }, client)
  const restore = (id: string) => restoreStored(store, { sandbox: "a", id: "s" }, client, { id })
  const { session: restored } = await restore("t")
  expect(restored.error).toMatchObject({ code: "mock_error", message: "the model is overloaded", sessionId: "t" })
  expect((await client.getSession("t")).error).toEqual(restored.error)
  await client.session("t").prompt("/echo well again")
  expect((await client.getSession("t")).error).toBeUndefined()
  await session.prompt("/echo well again")
  await expectSame(store, { sandbox: "a", id: "s" }, client)
  expect((await restore("u")).session.error).toBeUndefined()
  // What is stored ends in the middle of a turn.
  await session.send("/sleep 600000")
  await expect.poll(async () => (await store.search("sleep 600000")).length).toBeGreaterThan(0)
  expect((await restore("v")).session.error).toMatchObject({ code: "daemon_restarted" })
  await session.cancel()
})

test("pictures and attachments are shown from the store, and come with the session where it goes on", async () => {
  const store = new MemoryStore()
  const lost = await TestDaemon.start()
  const before = clientOf(lost)
  await using ingest = new Ingest(store, { onError: () => undefined })
  ingest.add("lost", before)
  const session = await before.startSession({ id: "s", agent: "mock" })
  const large = new Uint8Array(3 * 1024 * 1024).fill(65)
  const attached = [large, new Uint8Array([1, 0, 255])].map((bytes) => ({
    data: toBase64(bytes),
    mimeType: "text/plain",
  }))
  await session.prompt([
    { type: "text", text: "look at these" },
    ...attached.map((one) => ({ type: "file" as const, ...one })),
  ])
  await session.prompt("/image")
  session.close()
  const ref = { sandbox: "lost", id: "s" }
  await expectSame(store, ref, before)
  const named = (await before.listItems("s")).items.flatMap(namedBlobs)
  expect(new Set(named).size).toBe(3)
  const theirs = new Map<string, Blob>()
  for (const hash of named) theirs.set(hash, await before.getBlob("s", hash))
  await lost[Symbol.asyncDispose]()
  await ingest.remove("lost")
  const isSame = async (hash: string, mime: string, bytes: Uint8Array) => {
    const blob = theirs.get(hash)
    return blob?.type === mime && Buffer.from(await blob.arrayBuffer()).equals(bytes)
  }
  for (const hash of named) {
    const stored = (await store.blob(ref, hash)) ?? expect.unreachable("it is stored")
    expect(await isSame(hash, stored.mime, stored.bytes)).toBe(true)
  }

  await using daemon = await TestDaemon.start()
  const client = clientOf(daemon)
  expect(await restoreStored(store, ref, client, { directory: daemon.home })).toMatchObject({ isWhole: true })
  expect((await client.listItems("s")).items.flatMap(namedBlobs)).toEqual(named)
  for (const hash of named) {
    const blob = await client.getBlob("s", hash)
    expect(await isSame(hash, blob.type, new Uint8Array(await blob.arrayBuffer()))).toBe(true)
  }
})

test("of a long log its end is told and its first message; the rest stays in the store", async () => {
  await using daemon = await TestDaemon.start()
  const client = clientOf(daemon)
  const session = await client.startSession({ id: "long", agent: "mock" })
  await session.prompt("/echo what all of it is about")
  for (let turn = 0; turn < 3; turn++) await session.prompt("/stream 2500 2000")
  await session.prompt("/echo the end")
  session.close()
  const store = new MemoryStore()
  await using ingest = new Ingest(store)
  ingest.add("box", client)
  await expectSame(store, { sandbox: "box", id: "long" }, client)
  const restored = await restoreStored(store, { sandbox: "box", id: "long" }, client, { id: "short" })
  // The mock has its own session still, and it belongs to the one that goes on.
  expect(restored.context).toBe("rebuilt")
  expect(restored.isWhole).toBe(false)
  const said = textOf((await client.listItems("short")).items)
  expect(said[0]).toBe("user: /echo what all of it is about")
  expect(said.at(-1)).toBe("assistant: the end")
  expect(JSON.stringify(said).length).toBeLessThan(1.1 * storeLimits.restoredChars)
})

const agents = [
  { agent: "claude", program: claudeBinary, scripted: scriptedClaude, context: "native" },
  { agent: "codex", program: codexBinary, scripted: scriptedCodex, context: "native" },
  { agent: "pi", program: piBinary, scripted: scriptedPi, context: "native" },
  { agent: "opencode", program: opencodeBinary, scripted: scriptedOpencode, context: "rebuilt" },
] as const

// OpenCode takes seconds of the processor to start, and here it starts twice.
test.each(agents.filter(({ agent }) => full || agent !== "opencode"))(
  "$agent goes on on a machine that never had the session: $context",
  {
    timeout: 600_000,
  },
  async ({ agent, program, scripted, context }) => {
    await using folder = await TestDaemon.start()
    const [home, bin, directory, other] = ["home", "bin", "work", "else where"].map((name) =>
      join(folder.home, name),
    ) as [string, string, string, string]
    for (const path of [home, bin, directory, other]) mkdirSync(path)
    symlinkSync(program(), join(bin, agent))
    const { subject, env: own, close } = await scripted(home)
    await using models = new AsyncDisposableStack()
    models.defer(close)
    const { acts, forget } = subject
    // Far from Greenwich: an agent may name its files by the time of the place.
    const env = { ...own, PATH: `${bin}:${process.env.PATH}`, TZ: "Pacific/Kiritimati" }
    const store = new MemoryStore()
    await using ingest = new Ingest(store)
    const first = await TestDaemon.startWith(env)
    const before = clientOf(first)
    ingest.add("first", before)
    const ref = { sandbox: "first", id: "s" }
    const session = await before.startSession({ id: "s", agent, directory })
    await session.prompt(await acts.say("papaya"))
    await expectSame(store, ref, before)
    const { nativeSessionId, lastSequence } = await session.info()
    if (context === "native")
      await expect.poll(async () => (await store.nativeState(ref))?.sequence, { timeout: 60_000 }).toBe(lastSequence)
    await ingest.remove("first")
    session.close()
    await first[Symbol.asyncDispose]()
    // All that the agent itself had of it is gone, and its directory is another.
    await forget?.()

    await using daemon = await TestDaemon.startWith(env)
    const client = clientOf(daemon)
    const restored = await restoreStored(store, ref, client, { directory: other })
    expect(restored).toMatchObject({ healthy: true, context })
    expect(restored.session.nativeSessionId === nativeSessionId).toBe(context === "native")
    const again = client.session("s")
    const lastSaid = async () => textOf((await client.listItems("s")).items).at(-1)
    // Answered only when the request to the model has the word in it; a brief is seen as such.
    await again.prompt((await acts.recall?.("papaya")) ?? "")
    expect(await lastSaid()).toBe("assistant: papaya")
    await again.prompt((await acts.sees?.(["<session-brief>"])) ?? "")
    expect(await lastSaid()).toBe(`assistant: ${context === "native" ? "nothing" : "<session-brief>"}`)
    again.close()
  },
)

test("an agent that said more than its stored record has is told of all of it in a brief", async () => {
  const store = new MemoryStore()
  await using old = await TestDaemon.start()
  await using daemon = await TestDaemon.start()
  const [before, client] = [clientOf(old), clientOf(daemon)]
  await using ingest = new Ingest(store)
  ingest.add("old", before)
  const session = await before.startSession({ id: "s", agent: "mock" })
  await session.prompt("/echo papaya")
  const ref = { sandbox: "old", id: "s" }
  await expectSame(store, ref, before)
  await expect.poll(async () => (await store.nativeState(ref)) !== undefined).toBe(true)
  // Not at rest: its record is what it was.
  void session.send("/echo mango\n/sleep 600000")
  await expect.poll(async () => (await store.search("mango")).length).toBeGreaterThan(1)
  await ingest.close()
  session.close()
  await expect(before.getNativeState("s")).rejects.toMatchObject({ code: "conflict" })
  const restored = await restoreStored(store, ref, client, { directory: daemon.home })
  expect(restored.context).toBe("rebuilt")
  await client.session("s").prompt("/echo on")
  expect(toldTo(daemon, (await client.getSession("s")).nativeSessionId).brief).toContain("mango")
  // Without a store in between; what is no record, and one of nobody, are not taken.
  await before.cancelTurn("s")
  await before.createSession("empty", { agent: "mock" })
  await expect(before.getNativeState("empty")).rejects.toMatchObject({ code: "not_found" })
  const { nativeSessionId, data } = await before.getNativeState("s")
  const { items } = await before.listItems("s")
  const request = { agent: "mock", items, nativeSessionId }
  const directly = await client.restoreSession("direct", { ...request, nativeState: data })
  expect(directly).toMatchObject({ context: "native", nativeSessionId })
  // No file can have this name.
  const unnamable = await client.restoreSession("told", {
    ...request,
    nativeSessionId: "x".repeat(256),
    nativeState: data,
  })
  expect(unnamable.context).toBe("rebuilt")
  for (const bad of [
    { ...request, nativeState: btoa("no record") },
    { agent: "mock", items, nativeState: data },
  ])
    await expect(client.restoreSession("bad", bad)).rejects.toMatchObject({ code: "invalid_request" })
})
