import { gzipSync } from "node:zlib"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type CheckedDaemon, startChecked } from "./checked-api.ts"
import { expectProblem } from "./contract-check.ts"

/** What could not be kept or meant is refused: taken without a word it would be lost. */
let daemon: CheckedDaemon
beforeAll(async () => {
  daemon = await startChecked()
  await daemon.api.create("here")
})
afterAll(() => daemon.finish())

async function asked(method: string, path: string, body?: RequestInit["body"], headers: Record<string, string> = {}) {
  const response = await fetch(daemon.url + path, {
    method,
    headers: { ...daemon.api.headers, ...(body != null && { "content-type": "application/json" }), ...headers },
    ...(body != null && { body }),
  })
  const text = await response.text()
  const isJson = /json/.test(response.headers.get("content-type") ?? "")
  return { status: response.status, headers: response.headers, body: isJson && text !== "" ? JSON.parse(text) : text }
}

describe("bodies", () => {
  test.each([
    ["metadata", '{"agent":"mock","metadata":{"__proto__":{"a":1}}}', "__proto__"],
    ["deep in metadata", '{"agent":"mock","metadata":{"a":[{"__proto__":1}]}}', "__proto__"],
    ["written with escapes", '{"agent":"mock","metadata":{"\\u005f_proto__":1}}', "__proto__"],
    ["of letters as escapes", '{"agent":"mock","metadata":{"__pr\\u006fto__":1}}', "__proto__"],
    ["MCP servers", '{"agent":"mock","mcp":{"__proto__":{"command":"/nope"}}}', "__proto__"],
    ["variables", '{"agent":"mock","env":{"__proto__":"x"}}', "__proto__"],
    ["a number too large", '{"agent":"mock","metadata":{"a":1e999}}', "a number"],
    ["one of many digits", `{"agent":"mock","metadata":{"a":${"9".repeat(400)}}}`, "a number"],
    ["null", "null", "body"],
    ["another list", "[]", "body"],
  ])("%s", async (_, body, said) => {
    const answer = await asked("POST", "/v1/sessions/dropped", body)
    expectProblem(answer, "invalid_request")
    expect(answer.body.detail).toContain(said)
  })

  test("a word that looks like it and numbers that can be kept are taken", async () => {
    const metadata = { text: "__proto__ \\u005f 1e999", small: 1e-7, large: 1e300 }
    const body = JSON.stringify({ agent: "mock", metadata })
    const answer = await asked("POST", "/v1/sessions/kept", body)
    expect([answer.status, answer.body.session.metadata]).toEqual([201, metadata])
  })

  test.each([
    ["content-encoding", { "content-encoding": "gzip" }, "gzip"],
    ["content-type", { "content-type": "application/json; charset=ISO-8859-1" }, "iso-8859-1"],
  ])("of another %s are told so", async (_, headers, said) => {
    const body = said === "gzip" ? gzipSync('{"agent":"mock"}') : '{"agent":"mock"}'
    const answer = await asked("POST", "/v1/sessions/coded", body, headers)
    expectProblem(answer, "unsupported_media_type")
    expect(answer.body.detail).toContain(said)
  })

  test("in UTF-8, and encoded as themselves, they are taken", async () => {
    const headers = { "content-type": 'application/json; charset="UTF-8"', "content-encoding": "identity" }
    expect((await asked("POST", "/v1/sessions/plain", '{"agent":"mock"}', headers)).status).toBe(201)
  })
})

describe("queries and headers", () => {
  test("of two names for the same one is given", async () => {
    expectProblem(await asked("GET", "/v1/sessions/here/events?include_raw=true&includeRaw=false"), "invalid_request")
  })

  test.each(["offset=-1", "limit=99999999999999999999"])("%s is told once, with what is allowed", async (query) => {
    const answer = await asked("GET", `/v1/sessions/here/events?${query}`)
    expectProblem(answer, "invalid_request")
    expect(answer.body.detail).toMatch(/^query \w+: must be \d+ or (more|less)$/)
  })

  test("a Last-Event-ID beyond the end is called by its name", async () => {
    const answer = await asked("GET", "/v1/sessions/here/events/sse", undefined, { "last-event-id": "99" })
    expectProblem(answer, "invalid_request")
    const { lastSequence } = await daemon.api.session("here")
    expect(answer.body).toMatchObject({ detail: expect.stringMatching(/^Last-Event-ID 99/), lastSequence })
  })

  test("a cursor of another list is none of this one", async () => {
    for (const cursor of ["45", "Li4vLi4vZXRj", "Lw"])
      expectProblem(await asked("GET", `/v1/fs/entries?path=/tmp&cursor=${cursor}`), "invalid_request")
  })
})

test("a message's id can stand in a path", async () => {
  for (const messageId of [".", ".."])
    expectProblem(
      await asked("POST", "/v1/sessions/here/messages", JSON.stringify({ message: "hi", messageId })),
      "invalid_request",
    )
})
