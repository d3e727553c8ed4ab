import { once } from "node:events"
import { truncateSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { Item } from "@sandbox-agent/schema/item"
import { limits } from "@sandbox-agent/schema/limits"
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import { scratch } from "../harness/daemon.ts"
import { type CheckedDaemon, startChecked } from "./checked-api.ts"
import { expectProblem } from "./contract-check.ts"
import { itemsOf, textOf } from "./transcript.ts"

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
)
let daemon: CheckedDaemon
let web: ReturnType<typeof Bun.serve>
const directory = scratch()

beforeAll(async () => {
  writeFileSync(join(directory, "notes.txt"), "some notes")
  writeFileSync(join(directory, "dot.png"), png)
  writeFileSync(join(directory, "large.bin"), "")
  web = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      const { pathname } = new URL(request.url)
      if (pathname === "/dot") return new Response(png, { headers: { "content-type": "image/png" } })
      if (pathname === "/text") return new Response("plain words")
      if (pathname === "/large") return new Response(new Uint8Array(limits.attachmentBytes + 1))
      if (pathname === "/endless")
        return new Response(new ReadableStream({ pull: (c) => c.enqueue(new Uint8Array(1 << 20)) }))
      return new Response("nothing here", { status: 404 })
    },
  })
  daemon = await startChecked()
  await daemon.api.create("files", { directory })
})
afterAll(async () => {
  await web.stop(true)
  await daemon.finish()
})

const send = (attachments: Record<string, unknown>[], message = "see") =>
  daemon.api.turn("files", message, { attachments })
const userItem = (items: Item[]) => items.find((item) => item.role === "user")
const blob = (hash: string) => fetch(`${daemon.url}/v1/sessions/files/blobs/${hash}`, { headers: daemon.api.headers })

describe("attachments", () => {
  test("a path, relative to the session's directory, is named to the agent and in the transcript", async () => {
    const events = await send([{ path: "notes.txt" }])
    const path = join(directory, "notes.txt")
    const hash = new Bun.CryptoHasher("sha256").update("some notes").digest("hex")
    expect(userItem(itemsOf(events))?.content).toEqual([
      { type: "text", text: "see" },
      { type: "file_ref", path, action: "read", blob: hash, mime: "text/plain" },
    ])
    expect(await (await blob(hash)).text()).toBe("some notes")
    expect(textOf(events)).toBe(`Attachment notes.txt (text/plain, 10 bytes, ${path})see`)
  })

  test.each([
    { from: "a path", make: () => ({ path: join(directory, "dot.png") }) },
    { from: "data", make: () => ({ data: png.toString("base64"), mime: "image/png", filename: "dot.png" }) },
    { from: "a data address", make: () => ({ data: `data:image/png;base64,${png.toString("base64")}` }) },
    { from: "an address", make: () => ({ url: `${web.url}dot` }) },
  ])("an image from $from is kept as a blob and served as it came", async ({ make }) => {
    const events = await send([make()], "")
    const [part] = userItem(itemsOf(events))?.content ?? []
    if (part?.type !== "image" || part.blob === undefined) throw new Error(`not an image: ${JSON.stringify(part)}`)
    expect(part.mime).toBe("image/png")
    expect(part.blob).toBe(new Bun.CryptoHasher("sha256").update(png).digest("hex"))
    const response = await blob(part.blob)
    expect(response.headers.get("content-type")).toBe("image/png")
    expect(response.headers.get("x-content-type-options")).toBe("nosniff")
    expect(response.headers.get("content-security-policy")).toContain("sandbox")
    expect(Buffer.from(await response.arrayBuffer()).equals(png)).toBe(true)
    expect(textOf(events)).toContain(`image/png, ${png.length} bytes`)
  })

  test("names cannot leave their folder", async () => {
    const events = await send([{ data: "eA==", filename: "../../../etc/passwd" }])
    const part = userItem(itemsOf(events))?.content[1]
    expect(part).toMatchObject({
      type: "file_ref",
      path: expect.stringMatching(/\/attachments\/\d+\/[0-9a-f]+\/passwd\.\w+$/),
    })
  })

  test("what is no image has a hash as well, from wherever it came", async () => {
    const events = await send([{ data: "eHl6", filename: "x.json" }, { url: `${web.url}text` }])
    const parts = userItem(itemsOf(events))?.content.slice(1) ?? []
    for (const [i, text] of ["xyz", "plain words"].entries()) {
      const part = parts[i]
      if (part?.type !== "file_ref" || part.blob === undefined) throw new Error(`no hash: ${JSON.stringify(part)}`)
      expect(await (await blob(part.blob)).text()).toBe(text)
    }
    expect(parts).toMatchObject([{ mime: "application/json" }, { mime: "text/plain" }])
  })

  test("the type of what an address gives is that of its name, however long the address is", async () => {
    // Bun's own server would add a type.
    const untyped = createServer((_, answer) => answer.end("<p>")).listen(0, "127.0.0.1")
    onTestFinished(() => void untyped.close())
    await once(untyped, "listening")
    const { port } = untyped.address() as AddressInfo
    const events = await send([{ url: `http://127.0.0.1:${port}/page.html?${"q".repeat(6_000)}` }])
    expect(userItem(itemsOf(events))?.content[1]).toMatchObject({ mime: "text/html" })
  })

  test("of a file larger than may be kept only the path is told", async () => {
    const path = join(directory, "large.bin")
    truncateSync(path, limits.attachmentBytes + 1)
    const part = userItem(itemsOf(await send([{ path: "large.bin" }])))?.content[1]
    expect(part).toEqual({ type: "file_ref", path, action: "read", mime: "application/octet-stream" })
  })

  test("a fork can read what its past speaks of, also when the session is deleted", async () => {
    const { api } = daemon
    await api.create("attached", { directory })
    await api.turn("attached", "see", { attachments: [{ path: "notes.txt" }] })
    await api.ok("POST", "/v1/sessions/attached/fork", { id: "attached-fork" })
    await api.ok("DELETE", "/v1/sessions/attached")
    const part = userItem((await api.items("attached-fork")).items)?.content[1]
    if (part?.type !== "file_ref") throw new Error(`not a file: ${JSON.stringify(part)}`)
    expect((await api.call("GET", `/v1/sessions/attached-fork/blobs/${part.blob}`)).body).toBe("some notes")
  })

  test("several at once keep their order", async () => {
    const events = await send([{ path: "notes.txt" }, { url: `${web.url}dot` }, { data: "eHl6", filename: "x.json" }])
    expect(userItem(itemsOf(events))?.content.map((part) => part.type)).toEqual([
      "text",
      "file_ref",
      "image",
      "file_ref",
    ])
  })
})

describe("attachments that cannot be", () => {
  const large = Buffer.alloc(limits.attachmentBytes + 1).toString("base64")
  test.each([
    { name: "a missing file", make: () => ({ path: "nothing.txt" }), says: "attachments[0].path" },
    { name: "a folder", make: () => ({ path: "." }), says: "attachments[0].path" },
    { name: "bad base64", make: () => ({ data: "%%%" }), says: "attachments[0].data" },
    { name: "a data address that is not base64", make: () => ({ data: "data:text/plain,hello" }), says: "not base64" },
    { name: "an address that answers 404", make: () => ({ url: `${web.url}missing` }), says: "answered 404" },
    { name: "an address nobody serves", make: () => ({ url: "http://127.0.0.1:1/x" }), says: "attachments[0].url" },
    { name: "a file address", make: () => ({ url: "file:///etc/passwd" }), says: "http or https" },
    { name: "no address at all", make: () => ({ url: "not an address" }), says: "http or https" },
    { name: "two sources", make: () => ({ path: "notes.txt", data: "eA==" }), says: "exactly one" },
    { name: "no source", make: () => ({ mime: "text/plain" }), says: "exactly one" },
    { name: "a path no file can have", make: () => ({ path: "a\0b" }), says: "attachments.0.path" },
    { name: "a longer path than any", make: () => ({ path: "x".repeat(5_000) }), says: "attachments.0.path" },
    { name: "a longer name than any", make: () => ({ path: `${"x".repeat(300)}.png` }), says: "attachments[0].path" },
    { name: "a name no file can have", make: () => ({ data: "eA==", filename: "a\0b" }), says: "filename" },
    { name: "a type that is no media type", make: () => ({ data: "eA==", mime: "text/plain\r\nx: y" }), says: "mime" },
  ])("$name", async ({ make, says }) => {
    const { api } = daemon
    const before = await api.session("files")
    const answer = await api.call<{ detail: string }>("POST", "/v1/sessions/files/messages", {
      message: "x",
      attachments: [make()],
    })
    expectProblem(answer, "invalid_request")
    expect(answer.body.detail).toContain(says)
    expect(await api.session("files")).toEqual(before)
  })

  test.each([
    { name: "data", make: () => ({ data: large }) },
    { name: "an address that says so", make: () => ({ url: `${web.url}large` }) },
    { name: "an address that never ends", make: () => ({ url: `${web.url}endless` }) },
  ])("$name larger than the limit", async ({ make }) => {
    const { api } = daemon
    const before = await api.session("files")
    const answer = await api.call("POST", "/v1/sessions/files/messages", { message: "x", attachments: [make()] })
    expectProblem(answer, "payload_too_large")
    expect(answer.body).toMatchObject({ limit: limits.attachmentBytes })
    expect(await api.session("files")).toEqual(before)
  })

  test("more than the limit", async () => {
    const attachments = Array.from({ length: limits.messageAttachments + 1 }, () => ({ data: "eA==" }))
    expectProblem(
      await daemon.api.call("POST", "/v1/sessions/files/messages", { message: "x", attachments }),
      "invalid_request",
    )
  })

  test("a blob of another session, or of none, is not found", async () => {
    const { api } = daemon
    await api.create("other")
    const hash = new Bun.CryptoHasher("sha256").update(png).digest("hex")
    expectProblem(await api.call("GET", `/v1/sessions/other/blobs/${hash}`), "not_found")
    expectProblem(await api.call("GET", "/v1/sessions/files/blobs/xyz"), "invalid_request")
  })
})
