import { rmSync } from "node:fs"
import { routes } from "@sandbox-agent/schema/contract/contract"
import type { ErrorCode } from "@sandbox-agent/schema/error"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { scratch, startDaemon } from "../harness/daemon.ts"
import { type CheckedDaemon, startChecked } from "./checked-api.ts"
import { expectProblem } from "./contract-check.ts"
import { rawHttp } from "./raw-http.ts"

let daemon: CheckedDaemon
beforeAll(async () => {
  daemon = await startChecked()
  await daemon.api.create("here")
  await daemon.api.turn("here", "hello")
})
afterAll(() => daemon.finish())

const bodies: Record<string, unknown> = {
  createSession: { agent: "mock" },
  patchSession: {},
  forkSession: { id: "child" },
  postMessage: { message: "x" },
  streamMessage: { message: "x" },
  replyPermission: { reply: "once" },
  replyQuestion: { answers: [] },
}
const sessionRoutes = routes.filter((route) => route.path.includes("/sessions/{id}"))
const concrete = (path: string, id: string) =>
  path
    .replace("{id}", id)
    .replace("{hash}", "0".repeat(64))
    .replaceAll(/\{\w+\}/g, "some")

async function refused(code: ErrorCode, method: string, path: string, body?: unknown) {
  const answer = await daemon.api.call<{ detail: string }>(method, path, body)
  expectProblem(answer, code)
  return answer
}

describe("session ids", () => {
  const making = new Set(["createSession", "restoreSession"])
  test.each(sessionRoutes.filter(({ id }) => !making.has(id)).map((route) => [route.id, route] as const))(
    "%s of a session that is not there",
    async (id, route) => {
      const answer = await refused("session_not_found", route.method, concrete(route.path, "nobody"), bodies[id])
      expect(answer.body).toMatchObject({ sessionId: "nobody" })
    },
  )

  test.each([
    "x".repeat(129),
    "a%20b",
    "%C3%A9",
    "a%2Fb",
    "%00",
    "%zz",
    "%E2%82",
    "a%0Ab",
    "a+b",
    "a@b",
    "a~b",
    "%F0%9F%98%80",
  ])("%s is no id, on any route", async (id) => {
    for (const route of sessionRoutes) {
      const body = bodies[route.id] === undefined ? undefined : JSON.stringify(bodies[route.id])
      const headers = { ...daemon.api.headers, "content-type": "application/json" }
      const answer = await rawHttp(daemon.url, { method: route.method, path: concrete(route.path, id), headers, body })
      expectProblem(answer, "invalid_request")
      expect((answer.body as { detail: string }).detail).toContain("id: ")
    }
  })

  test("one that is taken stays as it is", async () => {
    const before = await daemon.api.session("here")
    expect(
      (await refused("session_already_exists", "POST", "/v1/sessions/here", { agent: "mock", title: "new" })).body,
    ).toMatchObject({ sessionId: "here" })
    expect(await daemon.api.session("here")).toEqual(before)
  })
})

describe("queries", () => {
  test.each([
    "offset=-1",
    "offset=abc",
    "offset=1e3",
    "offset=",
    "offset=0x1",
    "offset=1.5",
    "offset=%201",
    "offset=99999999999999999999",
    "limit=0",
    "limit=1001",
    "limit=-5",
    "limit=x",
    "limit=",
    "include_raw=maybe",
    "include_raw=",
    "includeRaw=2",
  ])("events?%s", async (query) => {
    const name = query.split("=")[0] ?? ""
    expect((await refused("invalid_request", "GET", `/v1/sessions/here/events?${query}`)).body.detail).toContain(name)
    if (name !== "limit") await refused("invalid_request", "GET", `/v1/sessions/here/events/sse?${query}`)
  })

  test.each([
    "limit=0",
    "limit=201",
    "limit=abc",
    "status=foo",
    "status=",
    "cursor=x",
    "cursor=",
    "cursor=-1",
    `agent=${"x".repeat(129)}`,
  ])("sessions?%s", async (query) => {
    await refused("invalid_request", "GET", `/v1/sessions?${query}`)
  })

  test("include_raw of a streamed message is checked before the message is taken", async () => {
    const before = await daemon.api.session("here")
    await refused("invalid_request", "POST", "/v1/sessions/here/messages/stream?include_raw=maybe", { message: "x" })
    expectProblem(
      await daemon.api.call(
        "POST",
        "/v1/sessions/here/messages/stream",
        { message: "x" },
        { accept: "application/json" },
      ),
      "not_acceptable",
    )
    expect(await daemon.api.session("here")).toEqual(before)
  })
})

describe("what is not there or cannot be", () => {
  test("unknown modes", async () => {
    const create = await refused("mode_not_supported", "POST", "/v1/sessions/modal", {
      agent: "mock",
      agentMode: "chaos",
    })
    expect(create.body).toMatchObject({ agent: "mock", modes: ["build", "plan"] })
    await refused("session_not_found", "GET", "/v1/sessions/modal")
    await refused("mode_not_supported", "PATCH", "/v1/sessions/here", { agentMode: "chaos" })
  })

  test("unknown permissions, questions, messages, blobs", async () => {
    await refused("not_found", "POST", "/v1/sessions/here/permissions/none/reply", { reply: "once" })
    await refused("not_found", "POST", "/v1/sessions/here/questions/none/reply", { answers: [] })
    await refused("not_found", "POST", "/v1/sessions/here/questions/none/reject")
    await refused("not_found", "DELETE", "/v1/sessions/here/messages/none")
    await refused("not_found", "GET", `/v1/sessions/here/blobs/${"0".repeat(64)}`)
  })

  test("a reply that is none of the choices", async () => {
    for (const body of [{ reply: "yes" }, { reply: true }, {}, { reply: "once", more: 1 }])
      await refused("invalid_request", "POST", "/v1/sessions/here/permissions/none/reply", body)
  })
})

describe("every problem", () => {
  test("has a request id of its own, also after a restart on the same data", async () => {
    const dataDir = scratch()
    const ids: unknown[] = []
    for (const _ of [1, 2]) {
      await using other = await startDaemon({ dataDir })
      const asked = await Promise.all(Array.from({ length: 20 }, () => other.api.call("GET", "/v1/sessions/none")))
      ids.push(...asked.map((answer) => answer.body.requestId))
    }
    rmSync(dataDir, { recursive: true })
    expect(new Set(ids).size).toBe(40)
  })

  test("is never cached", async () => {
    expect((await daemon.api.call("GET", "/v1/sessions/none")).headers.get("cache-control")).toBe("no-store")
  })
})
