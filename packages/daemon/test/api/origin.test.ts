import { routes } from "@sandbox-agent/schema/contract/contract"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { expectProblem } from "./contract-check.ts"
import { type RawParts, rawHttp, rawRequest } from "./raw-http.ts"

const app = "https://app.example"
let daemon: TestDaemon
let cors: TestDaemon
beforeAll(async () => {
  daemon = await startDaemon({ flags: ["--allow-host", "box.internal,Alias.Example"] })
  cors = await startDaemon({
    flags: ["--cors-allow-origin", `${app},http://localhost:5173`, "--cors-allow-credentials"],
  })
})
afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  await cors[Symbol.asyncDispose]()
})

const ask = (to: TestDaemon, headers: Record<string, string>, more: Partial<RawParts> = {}) =>
  rawHttp(to.url, { path: "/v1/sessions", ...more, headers: { ...to.api.headers, ...headers } })
const port = () => new URL(daemon.url).port
const corsHeaders = (headers: Headers) => [...headers.keys()].filter((name) => name.startsWith("access-control-"))

describe("Host", () => {
  test.each(["localhost", "LOCALHOST", "127.0.0.1", "[::1]", "127.0.0.2", "box.internal", "alias.example"])(
    "%s passes, with and without a port",
    async (host) => {
      expect((await ask(daemon, { host })).status).toBe(200)
      expect((await ask(daemon, { host: `${host}:${port()}` })).status).toBe(200)
    },
  )

  test.each([
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "box.internal.evil.example",
    "evil.example:2468",
    "10.0.0.1",
    "",
    "[",
    "a b",
    "localhost:99999:1",
    "localhost:notaport",
    "localhost@evil.example",
    "127.0.0.1, evil.example",
  ])("%j is refused on every path, without a word of our inside", async (host) => {
    for (const path of ["/v1/sessions", "/v1/health", "/", "/nope", "/opencode/x"]) {
      const answer = await ask(daemon, { host }, { path })
      expectProblem(answer, "permission_denied")
      expect(JSON.stringify(answer.body)).not.toMatch(/node_modules|\.ts\b/)
    }
  })

  test("a request without one is refused", async () => {
    const answer = await rawRequest(daemon.url, "GET /v1/sessions HTTP/1.0\r\n\r\n")
    expectProblem(answer, "permission_denied")
  })

  test("off loopback the token is enough, by whatever name", async () => {
    await using wide = await startDaemon({ flags: ["--host", "0.0.0.0"] })
    for (const host of ["sandbox-7.provider.example", "10.0.0.1:80", "localhost"])
      expect((await ask(wide, { host })).status, host).toBe(200)
    expectProblem(await rawHttp(wide.url, { path: "/v1/sessions", headers: { host: "x.example" } }), "token_invalid")
    expect((await rawHttp(wide.url, { path: "/", headers: { host: "[" } })).status).toBe(200)
  })
})

describe("Origin", () => {
  test("the daemon's own pages pass", async () => {
    for (const host of [`127.0.0.1:${port()}`, `localhost:${port()}`])
      expect((await ask(daemon, { host, origin: `http://${host}` })).status).toBe(200)
  })

  test.each([
    "http://evil.example",
    "null",
    "",
    "http://127.0.0.1",
    "http://127.0.0.1:1",
    "http://127.0.0.1.evil.example",
    "file://",
    "garbage",
  ])("%j is refused", async (origin) => {
    const answer = await ask(daemon, { origin })
    expectProblem(answer, "permission_denied")
    expect(corsHeaders(answer.headers)).toEqual([])
  })
})

describe("CORS", () => {
  const preflight = (to: TestDaemon, origin: string, more: Record<string, string> = {}) =>
    rawHttp(to.url, {
      method: "OPTIONS",
      path: "/v1/sessions/x/messages",
      headers: {
        origin,
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization",
        ...more,
      },
    })

  test("is off by default: no header, not even for our own page", async () => {
    expect(corsHeaders((await ask(daemon, { origin: daemon.url })).headers)).toEqual([])
    expectProblem(await preflight(daemon, app), "permission_denied")
  })

  test("with credentials the page is shown every header of the answer by its name, for `*` would be none", async () => {
    const answers = [
      await ask(cors, { origin: app }),
      await rawHttp(cors.url, { method: "PUT", path: "/v1/health", headers: { ...cors.api.headers, origin: app } }),
    ]
    for (const { headers } of answers) {
      const shown = headers.get("access-control-expose-headers")?.split(", ") ?? []
      expect(shown).not.toContain("*")
      expect(shown).toContain("content-type")
    }
    expect(answers[1]?.headers.get("access-control-expose-headers")?.split(", ")).toContain("allow")
  })

  test("on: a page that is allowed can read that the daemon does not take its name, and no other page can", async () => {
    const host = "box.example"
    expect((await preflight(cors, app, { host })).status).toBe(204)
    const refused = await ask(cors, { host, origin: app })
    expectProblem(refused, "permission_denied")
    expect(refused.headers.get("access-control-allow-origin")).toBe(app)
    for (const answer of [
      await preflight(cors, "http://box.example", { host }),
      await ask(cors, { host, origin: "http://box.example" }),
    ]) {
      expectProblem(answer, "permission_denied")
      expect(answer.headers.get("access-control-allow-origin")).toBe(null)
    }
  })

  test("on: a preflight is answered without a token", async () => {
    const { status, headers } = await preflight(cors, app)
    expect(status).toBe(204)
    expect(headers.get("access-control-allow-origin")).toBe(app)
    expect(headers.get("access-control-allow-credentials")).toBe("true")
    expect(headers.get("access-control-allow-methods")?.split(", ")).toEqual(
      expect.arrayContaining(["GET", "POST", "PATCH", "DELETE"]),
    )
    const read = routes.flatMap((route) => Object.keys(route.headers ?? {}).map((name) => name.toLowerCase()))
    expect(read).toContain("if-match")
    expect(headers.get("access-control-allow-headers")?.split(", ")).toEqual(
      expect.arrayContaining(["authorization", "content-type", "x-sandbox-token", "last-event-id", ...read]),
    )
    expect(headers.get("vary")).toBe("Origin")
  })

  test("on: answers, errors and streams carry the headers, for the origins given and no other", async () => {
    for (const origin of [app, "http://localhost:5173"]) {
      const good = await ask(cors, { origin })
      expect([good.status, good.headers.get("access-control-allow-origin")]).toEqual([200, origin])
      const bad = await ask(cors, { origin }, { path: "/v1/sessions/none" })
      expect([bad.status, bad.headers.get("access-control-allow-origin")]).toEqual([404, origin])
      const denied = await rawHttp(cors.url, { path: "/v1/sessions", headers: { origin } })
      expect([denied.status, denied.headers.get("access-control-allow-origin")]).toEqual([401, origin])
    }
    for (const origin of ["https://app.example.evil", "http://app.example", "https://app.example:444", "null"]) {
      const answer = await ask(cors, { origin })
      expectProblem(answer, "permission_denied")
      expect(corsHeaders(answer.headers)).toEqual([])
      expectProblem(await preflight(cors, origin), "permission_denied")
    }
    expect(corsHeaders((await ask(cors, {})).headers)).toEqual([])
  })

  test("* allows any page, without credentials, and the flags say which methods and headers", async () => {
    const flags = [
      "--cors-allow-origin",
      "*",
      "--cors-allow-method",
      "GET,POST",
      "--cors-allow-header",
      "authorization,x-mine",
    ]
    await using any = await startDaemon({ flags })
    const { headers } = await preflight(any, "https://anywhere.example")
    expect(headers.get("access-control-allow-origin")).toBe("*")
    expect(headers.get("access-control-allow-credentials")).toBeNull()
    expect(headers.get("access-control-allow-methods")).toBe("GET, POST")
    expect(headers.get("access-control-allow-headers")).toBe("authorization, x-mine")
    expect((await ask(any, { origin: "null" })).headers.get("access-control-allow-origin")).toBe("*")
  })

  test("* with credentials does not start", async () => {
    const flags = ["--cors-allow-origin", "*", "--cors-allow-credentials"]
    await expect(startDaemon({ flags })).rejects.toThrow(/name the origins/)
  })
})
