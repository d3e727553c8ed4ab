import { contract, routes } from "@sandbox-agent/schema/contract/contract"
import type { Route } from "@sandbox-agent/schema/contract/route"
import fc from "fast-check"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import type { Answer } from "../harness/api.ts"
import { scratch } from "../harness/daemon.ts"
import { type CheckedDaemon, startChecked } from "./checked-api.ts"
import { expectAnswer, expectProblem } from "./contract-check.ts"
import { rawRequest } from "./raw-http.ts"

let daemon: CheckedDaemon
let before: unknown
beforeAll(async () => {
  // Whatever it comes up with stays in here.
  const root = scratch()
  daemon = await startChecked({ cwd: root, flags: ["--store", "memory", "--fs-root", root] })
  await daemon.api.create("kept", { title: "kept", metadata: { a: [1] } })
  await daemon.api.turn("kept", "hello")
  before = await state()
})
afterAll(async () => {
  expect(await state()).toEqual(before)
  expect(daemon.stderr()).not.toContain("request failed")
  await daemon.finish()
})
const state = async () => [await daemon.api.session("kept"), await daemon.api.items("kept")]

/** Of a session that is not there: a body that happens to be right changes nothing either. */
const pathOf = (route: Route) => route.path.replace("{id}", "nobody").replaceAll(/\{\w+\}/g, "some")
const withBody = routes.filter((route) => route.body !== undefined)
/** `createSession` would make the session it is asked for; its bodies go to one that exists. */
const target = (route: Route) => (route === contract.createSession ? "/v1/sessions/kept" : pathOf(route))

/** No answer is a fault of ours, and every refusal is a problem the route declares. */
function expectTame(method: string, path: string, answer: Answer<unknown>): void {
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(500)
  if (answer.status >= 400) expectAnswer(method, path, answer)
}

async function send(route: Route, body: string | Uint8Array, type = "application/json"): Promise<void> {
  const response = await fetch(daemon.url + target(route), {
    method: route.method,
    headers: { ...daemon.api.headers, "content-type": type, accept: "text/event-stream, application/json" },
    body: body as string,
  })
  const text = await response.text()
  const json = /json/.test(response.headers.get("content-type") ?? "")
  expectTame(route.method, target(route), {
    status: response.status,
    headers: response.headers,
    body: json ? JSON.parse(text) : text,
  })
}

const hostile = fc.oneof(
  fc.constantFrom(
    "__proto__",
    "constructor",
    "toString",
    "",
    "\0",
    "\ud800",
    "😀",
    "a".repeat(5000),
    "../../x",
    "%00",
    "\r\n",
  ),
  fc.constantFrom(0, -0, -1, 1e308, -1e308, 1e-320, 2 ** 53, 0.1, Number.MAX_SAFE_INTEGER),
  fc.constantFrom(null, true, false, [], {}, [[]], [null]),
  fc.string(),
  fc.jsonValue(),
)
const valid: Record<string, object> = {
  createSession: {
    agent: "mock",
    agentMode: "build",
    permissionMode: "default",
    model: "mock-large",
    env: { A: "b" },
    metadata: { a: 1 },
    mcp: { x: { command: "y" } },
    skills: [{ name: "s", content: "c" }],
    directory: "/tmp",
  },
  patchSession: { title: "t", agentMode: "plan", permissionMode: "plan", model: "m", metadata: {} },
  postMessage: {
    message: "m",
    messageId: "i",
    attachments: [{ data: "eA==", mime: "a/b", filename: "f" }],
    delivery: "queue",
  },
  streamMessage: { message: "m", attachments: [{ path: "/x" }] },
  forkSession: { id: "child", atSequence: 3 },
  cancelTurn: { queue: true, background: false },
  replyPermission: { reply: "once", message: "m" },
  replyQuestion: { answers: [["a"], []] },
  rejectQuestion: { message: "m" },
  installAgent: { reinstall: true, version: "1" },
}

/** The places of a JSON value, as paths. */
function places(value: unknown, at: string[] = []): string[][] {
  const inside = typeof value === "object" && value !== null ? Object.entries(value) : []
  return [at, ...inside.flatMap(([key, item]) => places(item, [...at, key]))]
}

/** The value with something else at one place, or without it. */
function replaced(value: unknown, [key, ...rest]: string[], by: unknown): unknown {
  if (key === undefined) return by
  const copy = structuredClone(value) as Record<string, unknown>
  Object.defineProperty(copy, key, {
    value: replaced(copy[key], rest, by),
    enumerable: true,
    configurable: true,
    writable: true,
  })
  return copy
}

const runs = { numRuns: 25 }

describe.each(withBody.map((route) => [route.id, route] as const))("bodies of %s", (id, route) => {
  test("any JSON, any bytes, any type", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.jsonValue().map((value) => JSON.stringify(value)),
          fc.dictionary(fc.string(), hostile).map((value) => JSON.stringify(value)),
          fc.uint8Array({ maxLength: 200 }),
          fc.string(),
          fc.integer({ min: 1, max: 3000 }).map((depth) => `${'{"a":['.repeat(depth)}1${"]}".repeat(depth)}`),
        ),
        fc.constantFrom("application/json", "application/json; charset=utf-8", "text/plain", "a/b+json"),
        async (body, type) => send(route, body, type),
      ),
      runs,
    )
  })

  test("a good one with one place made bad, or cut off anywhere", async () => {
    const good = valid[id] ?? {}
    const mutated = fc
      .tuple(fc.constantFrom(...places(good)), hostile)
      .map(([place, value]) => JSON.stringify(replaced(good, place, value)) ?? "")
    const cut = fc.nat(JSON.stringify(good).length - 1).map((length) => JSON.stringify(good).slice(0, length))
    const more = fc.tuple(fc.string(), hostile).map(([key, value]) => JSON.stringify({ ...good, [key]: value }))
    await fc.assert(
      fc.asyncProperty(fc.oneof(mutated, mutated, cut, more), async (body) => send(route, body)),
      runs,
    )
  })
})

test("queries: any value for any name, known or not", async () => {
  const asked = routes.filter((route) => route.method === "GET" && route.answer !== "sse")
  const names = fc.constantFrom(
    "offset",
    "limit",
    "cursor",
    "status",
    "agent",
    "include_raw",
    "includeRaw",
    "__proto__",
    "",
  )
  const values = fc.oneof(
    fc.string(),
    fc.constantFrom("-1", "1e9", "0x1", "NaN", "Infinity", "9".repeat(30), "true", "%", "%zz", "\0"),
  )
  const query = fc
    .array(fc.tuple(names, values), { maxLength: 5 })
    .map((pairs) => new URLSearchParams(pairs).toString())
  const loose = fc.stringMatching(/^[!-~]{0,40}$/).map((text) => text.replaceAll("#", ""))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...asked), fc.oneof(query, loose), fc.boolean(), async (route, text, here) => {
      const path = `${here ? pathOf(route).replace("nobody", "kept") : pathOf(route)}?${text}`
      expectTame("GET", path, await plain.call("GET", path))
    }),
    { numRuns: 200 },
  )
})

test("paths, methods and headers: anything a socket can carry", async () => {
  const segment = fc.oneof(
    fc.stringMatching(/^[!-~]{0,20}$/),
    fc.constantFrom("v1", "sessions", "kept", "events", "agents", "..", ".", "%2e%2e", "%2F", "%00", "%ff", ""),
  )
  const path = fc.array(segment, { maxLength: 6 }).map((parts) => `/${parts.join("/")}`.replaceAll(/[#?]/g, ""))
  const method = fc.constantFrom("GET", "POST", "PUT", "PATCH", "HEAD", "OPTIONS")
  const header = fc.tuple(fc.stringMatching(/^[a-z][a-z-]{0,15}$/), fc.stringMatching(/^[!-~ ]{0,60}$/))
  const known = fc.tuple(
    fc.constantFrom("accept", "last-event-id", "x-sandbox-token", "range", "if-match", "cookie"),
    fc.stringMatching(/^[!-~]{0,60}$/),
  )
  await fc.assert(
    fc.asyncProperty(method, path, fc.array(fc.oneof(header, known), { maxLength: 4 }), async (verb, at, headers) => {
      const given = new Set([
        "host",
        "authorization",
        "connection",
        "content-length",
        "transfer-encoding",
        "upgrade",
        "expect",
        "origin",
        "te",
        "trailer",
      ])
      const lines = headers.filter(([name]) => !given.has(name)).map(([name, value]) => `${name}: ${value}`)
      const head = [
        `${verb} ${at} HTTP/1.1`,
        "host: localhost",
        `authorization: Bearer ${daemon.token}`,
        "connection: close",
        ...lines,
      ]
      const answer = await rawRequest(daemon.url, `${head.join("\r\n")}\r\n\r\n`)
      expect(answer.status, `${verb} ${at}`).toBeLessThan(500 + (at.startsWith("/opencode") ? 4 : 0))
      if (answer.status >= 400 && verb !== "HEAD" && answer.body !== "") expectProblem(answer)
    }),
    { numRuns: 300 },
  )
})

/** The plain client: what is wrong here is on purpose. */
const plain = {
  async call(method: string, path: string): Promise<Answer<unknown>> {
    const response = await fetch(daemon.url + path, { method, headers: daemon.api.headers })
    const text = await response.text()
    const json = /json/.test(response.headers.get("content-type") ?? "")
    return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text }
  },
}
