import { mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { codexBinary } from "@sandbox-agent/test-agents/codex"
import { expect, test } from "vitest"
import { scriptedCodex } from "../../conformance/src/agents/codex.ts"
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
    session: { id: "s", title: "Old", metadata: { ticket: 42 }, permissionMode: "acceptEdits" },
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

test("Codex goes on by itself where it has its session, and is told of it where it does not", {
  timeout: 600_000,
}, async () => {
  await using folder = await TestDaemon.start()
  const [home, bin, directory] = ["home", "bin", "work"].map((name) => join(folder.home, name)) as [
    string,
    string,
    string,
  ]
  for (const path of [home, bin, directory]) mkdirSync(path)
  symlinkSync(codexBinary(), join(bin, "codex"))
  const codex = await scriptedCodex(home)
  await using models = new AsyncDisposableStack()
  models.defer(codex.close)
  const { acts, forget } = codex.subject
  const env = { ...codex.env, PATH: `${bin}:${process.env.PATH}` }
  const store = new MemoryStore()
  await using ingest = new Ingest(store)
  const first = await TestDaemon.startWith(env)
  const before = clientOf(first)
  ingest.add("first", before)
  const session = await before.startSession({ id: "s", agent: "codex", directory })
  await session.prompt(await acts.say("papaya"))
  await expectSame(store, { sandbox: "first", id: "s" }, before)
  await ingest.remove("first")
  session.close()
  const { nativeSessionId } = await before.getSession("s")
  await first[Symbol.asyncDispose]()

  for (const context of ["native", "rebuilt"] as const) {
    if (context === "rebuilt") await forget?.()
    await using daemon = await TestDaemon.startWith(env)
    const client = clientOf(daemon)
    const restored = await restoreStored(store, { sandbox: "first", id: "s" }, client)
    expect(restored).toMatchObject({ healthy: true, context })
    expect(restored.session.nativeSessionId === nativeSessionId).toBe(context === "native")
    const again = client.session("s")
    // Answered only when the request to the model has the word in it.
    await again.prompt((await acts.recall?.("papaya")) ?? "")
    expect(textOf((await client.listItems("s")).items).at(-1)).toBe("assistant: papaya")
  }
})
