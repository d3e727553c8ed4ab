import { connect } from "node:net"
import type { ErrorCode } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type CheckedDaemon, startChecked } from "./checked-api.ts"
import { expectProblem } from "./contract-check.ts"
import { rawHttp, rawRequest } from "./raw-http.ts"

let daemon: CheckedDaemon
let before: unknown
beforeAll(async () => {
  daemon = await startChecked()
  await daemon.api.create("here", { title: "unchanged", metadata: { a: 1 } })
  await daemon.api.turn("here", "hello", { messageId: "taken" })
  before = await state()
})
afterAll(async () => {
  // Whatever was asked above: the daemon is as it was.
  expect(await state()).toEqual(before)
  await daemon.finish()
})

const state = async () => ({
  sessions: await daemon.api.ok("GET", "/v1/sessions"),
  items: await daemon.api.items("here"),
  health: (await daemon.api.call<{ status: string }>("GET", "/v1/health")).body.status,
})

async function refused(
  code: ErrorCode,
  method: string,
  path: string,
  body?: unknown,
  headers?: Record<string, string>,
) {
  const answer = await daemon.api.call<{ detail: string }>(method, path, body, headers)
  expectProblem(answer, code)
  return answer
}

describe("paths and methods", () => {
  test.each([
    "/nope",
    "/v1",
    "/v1/",
    "/v1/sessions/",
    "/v1/sessions//events",
    "/v1/sessions/here/nope",
    "/v2/sessions",
    "/v1/agents/mock/nope",
    "/%00",
    "/v1/agents/%2e%2e%2f",
  ])("%s is not there", async (path) => {
    const answer = await rawHttp(daemon.url, { path, headers: daemon.api.headers })
    expectProblem(answer, path.startsWith("/v1/agents/%") ? "unsupported_agent" : "not_found")
  })

  test("nor with any other method, where a name is missing", async () => {
    for (const method of ["PUT", "POST", "DELETE"])
      for (const path of ["/v1/sessions/", "/v1/sessions//cancel", "/v1/agents//install"])
        expectProblem(await rawHttp(daemon.url, { method, path, headers: daemon.api.headers }), "not_found")
  })

  test("a path that climbs is not there", async () => {
    expectProblem(
      await rawHttp(daemon.url, { path: "/v1/agents/../sessions", headers: daemon.api.headers }),
      "not_found",
    )
  })

  test.each([
    ["PUT", "/v1/sessions/here", "POST, GET, HEAD, PATCH, DELETE"],
    ["DELETE", "/v1/health", "GET, HEAD"],
    ["POST", "/", "GET, HEAD"],
    ["DELETE", "/", "GET, HEAD"],
    ["PATCH", "/v1/sessions", "GET, HEAD, POST"],
    ["GET", "/v1/sessions/here/cancel", "POST"],
    ["PATCH", "/v2/agents", "GET, HEAD"],
    ["OPTIONS", "/v1/sessions/here/messages", "POST"],
  ])("%s %s is not allowed, and Allow says what is", async (method, path, allow) => {
    const answer = await rawHttp(daemon.url, { method, path, headers: daemon.api.headers })
    expectProblem(answer, "method_not_allowed")
    expect(answer.headers.get("allow")?.split(", ").sort()).toEqual(allow.split(", ").sort())
  })

  test("/opencode is told as not served yet", async () => {
    for (const path of ["/opencode", "/opencode/", "/opencode/session/x"]) await refused("unavailable", "GET", path)
  })
})

describe("bodies", () => {
  const path = "/v1/sessions/here/messages"

  test("too large, by the length that is told", async () => {
    const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${daemon.token}\r\nContent-Type: application/json\r\n`
    const answer = await rawRequest(daemon.url, `${head}Content-Length: ${limits.requestBodyBytes + 1}\r\n\r\n{`)
    expectProblem(answer, "payload_too_large")
    expect(answer.body).toMatchObject({ limit: limits.requestBodyBytes })
  })

  test("too large, in chunks without a length", async () => {
    let left = limits.requestBodyBytes / (1 << 20) + 2
    const body = new ReadableStream({
      pull: (c) => (left-- > 0 ? c.enqueue(new Uint8Array(1 << 20).fill(32)) : c.close()),
    })
    const headers = { ...daemon.api.headers, "content-type": "application/json" }
    const response = await fetch(daemon.url + path, { method: "POST", headers, body, duplex: "half" } as RequestInit)
    expectProblem(
      { status: response.status, headers: response.headers, body: await response.json() },
      "payload_too_large",
    )
  })

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data",
    "application/jsonx",
    "",
    "json",
  ])("of type %j", async (type) => {
    await refused("unsupported_media_type", "POST", path, '{"message":"x"}', { "content-type": type })
  })

  test.each([
    { text: '{"message": x}', line: 1, column: 13 },
    { text: '{\n  "message": "a",\n}', line: 3, column: 1 },
    { text: '{"message":"a"', line: 1, column: 15 },
    { text: "\n\n  nope", line: 3, column: 3 },
    { text: '{"message":"a"} trailing', line: 1, column: 17 },
    { text: "{'message':'a'}", line: 1, column: 2 },
  ])("not JSON: $text", async ({ text, line, column }) => {
    const answer = await refused("invalid_request", "POST", path, text)
    expect(answer.body).toMatchObject({ line, column })
    expect(answer.body.detail).toContain(`line ${line}, column ${column}`)
  })

  test("not UTF-8, or cut off", async () => {
    const headers = { ...daemon.api.headers, "content-type": "application/json" }
    const body = Buffer.concat([Buffer.from('{"message":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')])
    const response = await fetch(daemon.url + path, { method: "POST", headers, body })
    expectProblem(
      { status: response.status, headers: response.headers, body: await response.json() },
      "invalid_request",
    )
  })

  test("cut off in the middle by a client that goes away", async () => {
    const { port } = new URL(daemon.url)
    const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${daemon.token}\r\nContent-Type: application/json\r\n`
    for (const rest of ['Content-Length: 1000\r\n\r\n{"message":', 'Transfer-Encoding: chunked\r\n\r\n5\r\n{"mes'])
      await new Promise<void>((resolve) => {
        const socket = connect(Number(port), "127.0.0.1", () => socket.write(head + rest, () => socket.destroy()))
        socket.on("close", () => resolve())
      })
    expect((await daemon.api.call("GET", "/v1/health")).status).toBe(200)
  })

  test("missing where one is needed", async () => {
    for (const [method, at] of [
      ["POST", path],
      ["POST", "/v1/sessions/new"],
      ["PATCH", "/v1/sessions/here"],
      ["POST", "/v1/sessions/here/fork"],
    ] as const) {
      const answer = await refused("invalid_request", method, at)
      expect(answer.body.detail).toContain("body")
    }
  })

  test("nested without end", async () => {
    for (const depth of [limits.requestBodyDepth + 1, 100_000]) {
      const deep = `${"[".repeat(depth)}${"]".repeat(depth)}`
      await refused("invalid_request", "PATCH", "/v1/sessions/here", `{"metadata":{"a":${deep}}}`)
      await refused("invalid_request", "POST", "/v1/sessions/new", `{"agent":"mock","metadata":{"a":${deep}}}`)
    }
  })

  test.each([
    { body: null, field: "body" },
    { body: [], field: "body" },
    { body: "text", field: "body" },
    { body: {}, field: "body.message" },
    { body: { message: 1 }, field: "body.message" },
    { body: { message: null }, field: "body.message" },
    { body: { message: "a", delivery: "now" }, field: "body.delivery" },
    { body: { message: "a", messageId: "has space" }, field: "body.messageId" },
    { body: { message: "a", messageId: "" }, field: "body.messageId" },
    { body: { message: "a", attachments: {} }, field: "body.attachments" },
    { body: { message: "a", attachments: [{ path: 1 }] }, field: "body.attachments.0.path" },
    { body: { message: "a", extra: true }, field: "extra" },
    { body: { message: "" }, field: "body.message" },
    { body: { message: " \n" }, field: "body.message" },
    { body: { message: "", attachments: [] }, field: "body.message" },
    { body: { message: "x".repeat(limits.messageTextBytes + 1) }, field: "body.message" },
  ])("of the wrong shape: $field", async ({ body, field }) => {
    expect((await refused("invalid_request", "POST", path, JSON.stringify(body))).body.detail).toContain(field)
  })

  test.each([
    { body: {}, field: "body.agent" },
    { body: { agent: "mock", permissionMode: "yolo" }, field: "body.permissionMode" },
    { body: { agent: "mock", env: { "NOT A NAME": "x" } }, field: "body.env" },
    { body: { agent: "mock", env: { NUL: "a\0b" } }, field: "body.env.NUL" },
    { body: { agent: "mock", env: { N: 1 } }, field: "body.env.N" },
    { body: { agent: "mock", title: "x".repeat(limits.titleChars + 1) }, field: "body.title" },
    { body: { agent: "mock", metadata: { a: "x".repeat(limits.metadataBytes) } }, field: "body.metadata" },
    { body: { agent: "mock", mcp: { x: {} } }, field: "body.mcp" },
    { body: { agent: "mock", unknownField: 1 }, field: "unknownField" },
    { body: { agent: "mock", directory: "relative/path" }, field: "directory" },
    { body: { agent: "mock", directory: "/does/not/exist" }, field: "directory" },
    { body: { agent: "mock", directory: "/etc/passwd" }, field: "directory" },
    { body: { agent: "mock", directory: "/tmp\0x" }, field: "directory" },
  ])("create is refused for $field and leaves no session", async ({ body, field }) => {
    expect((await refused("invalid_request", "POST", "/v1/sessions/new", body)).body.detail).toContain(field)
    await refused("session_not_found", "GET", "/v1/sessions/new")
  })

  test.each([
    [{ mcp: { "my server": { command: "x" } } }, "body.mcp.my server: 1 to 64 of [A-Za-z0-9_-]"],
    [{ env: { "A-B": "x" } }, "body.env.A-B: not a name of an environment variable"],
    [{ mcp: { a: {} } }, "body.mcp.a.command: Invalid input: expected string, received undefined"],
    [{ mcp: { a: { type: "http" } } }, "body.mcp.a.url: an http or https address is expected"],
    [
      { mcp: { a: { type: "http", url: "x", headers: { "a b": "" } } } },
      "body.mcp.a.headers.a b: not a name of a header",
    ],
    [{ mcp: { a: { command: "x", env: { "A-B": "" } } } }, "body.mcp.a.env.A-B: not a name of an environment variable"],
    [{ mcp: { a: "x" } }, "body.mcp.a: Invalid input: expected object, received string"],
  ])("of %j it is told what would be right", async (given, said) => {
    const { body } = await refused("invalid_request", "POST", "/v1/sessions/new", { agent: "mock", ...given })
    expect(body.detail.split("; ")).toContain(said)
  })
})

describe("queries", () => {
  test.each([
    ["/v1/sessions/here/events?ofset=3", "query ofset", "offset, limit"],
    ["/v1/sessions/here/events?include-raw=1", "query include-raw", "include_raw"],
    ["/v1/sessions/here/events/sse?limit=3", "query limit", "offset"],
    ["/v1/sessions?Limit=3", "query Limit", "limit"],
    ["/v1/sessions/here?x=", "query x", "nothing"],
    ["/v1/agents?limit=1", "query limit", "nothing"],
    ["/v1/health?toString", "query toString", "nothing"],
    ["/v1/sessions?limit=1&limit=2", "query limit", "twice"],
    ["/v1/sessions?limit=0", "query limit", "must be 1 or more"],
    ["/v1/sessions/here/events?limit=0", "query limit", "must be 1 or more"],
    [`/v1/sessions/here/events?limit=${limits.eventsPage + 1}`, "query limit", `must be ${limits.eventsPage} or less`],
    [`/v1/sessions/here/events?offset=${"9".repeat(400)}`, "query offset", "or less"],
    ["/v1/sessions/here/events?limit=-1", "query limit", "must be 1 or more"],
    ["/v1/sessions/here/events?limit=1e2", "query limit", "must be a whole number"],
    ["/v1/sessions/here/events?limit=", "query limit", "must be a whole number"],
    ["/v1/sessions/here/events?include_raw=maybe", "query include_raw", "must be true or false"],
  ])("%s says what is wrong with it", async (path, name, words) => {
    const { body } = await refused("invalid_request", "GET", path)
    expect(body.detail).toContain(`${name}:`)
    expect(body.detail).toContain(words)
  })

  test("also with a body, which is then not acted upon", async () => {
    await refused("invalid_request", "POST", "/v1/sessions/here/messages?delivery=steer", { message: "x" })
  })
})
