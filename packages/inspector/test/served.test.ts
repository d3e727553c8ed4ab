import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { afterAll, beforeAll, expect, test } from "vitest"
import { TestDaemon, token } from "../../sandbox-agent/test/harness/daemon.ts"
import { buildInspector } from "../scripts/build.ts"

let daemon: TestDaemon
beforeAll(async () => {
  await buildInspector()
  daemon = await TestDaemon.start()
}, 120_000)
afterAll(() => daemon[Symbol.asyncDispose]())

/** As it comes, not unpacked. */
const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(daemon.baseUrl + path, { method, redirect: "manual", decompress: false, headers })

test("the page needs no token, comes compressed, and is kept by browsers as long as it is the same", async () => {
  expect((await get("/ui")).headers.get("location")).toBe("/ui/")
  const plain = await get("/ui/", { "accept-encoding": "identity" })
  const html = await plain.text()
  expect(plain.status).toBe(200)
  expect(plain.headers.get("content-encoding")).toBe(null)
  const brotli = await get("/ui/", { "accept-encoding": "gzip, br" })
  expect(brotli.headers.get("content-encoding")).toBe("br")
  expect(brotliDecompressSync(await brotli.arrayBuffer()).toString()).toBe(html)
  const gzip = await get("/ui/", { "accept-encoding": "gzip" })
  expect(gunzipSync(await gzip.arrayBuffer()).toString()).toBe(html)
  const etag = gzip.headers.get("etag") ?? ""
  expect((await get("/ui/", { "accept-encoding": "gzip", "if-none-match": etag })).status).toBe(304)
  expect(gzip.headers.get("cache-control")).toBe("no-cache")
  const script = /src="\.\/(assets\/[^"]+\.js)"/.exec(html)?.[1] ?? ""
  const asset = await get(`/ui/${script}`, { "accept-encoding": "br" })
  expect(asset.headers.get("content-type")).toContain("text/javascript")
  expect(asset.headers.get("cache-control")).toContain("immutable")
  const code = brotliDecompressSync(await asset.arrayBuffer())
  expect(code.length).toBeGreaterThan(100_000)
  const head = await get(`/ui/${script}`, { "accept-encoding": "identity" }, "HEAD")
  expect(head.headers.get("content-length")).toBe(String(code.length))
})

test("its policy lets no script and no style run but its own, and no other page frame it", async () => {
  const { headers } = await get("/ui/")
  const policy = headers.get("content-security-policy") ?? ""
  expect(policy).toContain("default-src 'none'")
  expect(policy).toContain("script-src 'self';")
  expect(policy).toContain("style-src 'self';")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).toContain("require-trusted-types-for 'script'")
  expect(policy).not.toContain("unsafe")
  expect(headers.get("x-content-type-options")).toBe("nosniff")
})

test("what is not of the page is refused as everywhere", async () => {
  expect((await get("/ui/assets/none.js")).status).toBe(404)
  expect((await get("/ui/../v1/sessions")).status).toBe(401)
  expect((await get("/ui/constructor")).status).toBe(404)
  expect((await get("/ui/", {}, "POST")).status).toBe(405)
})

test("a ticket gives the token once, and is made for whoever has it already", async () => {
  const post = (path: string, body?: object, bearer?: string) =>
    fetch(daemon.baseUrl + path, {
      method: "POST",
      headers: { "content-type": "application/json", ...(bearer && { authorization: `Bearer ${bearer}` }) },
      ...(body && { body: JSON.stringify(body) }),
    })
  expect((await post("/v1/tickets")).status).toBe(401)
  const { ticket } = (await (await post("/v1/tickets", undefined, token)).json()) as { ticket: string }
  expect(await (await post("/v1/tickets/redeem", { ticket })).json()).toEqual({ token })
  expect((await post("/v1/tickets/redeem", { ticket })).status).toBe(404)
  expect((await post("/v1/tickets/redeem", { ticket: "made-up" })).status).toBe(404)
})
