import { readdirSync, readFileSync } from "node:fs"
import { routes } from "@sandbox-agent/schema/contract/contract"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { type CheckedDaemon, startChecked } from "./checked-api.ts"
import { expectProblem } from "./contract-check.ts"
import { rawHttp } from "./raw-http.ts"
import { outputOf } from "./transcript.ts"

const token = "a-Token.with~all+kinds/of=characters"
let daemon: CheckedDaemon
beforeAll(async () => {
  daemon = await startChecked({ token, flags: ["--log-level", "debug"] })
})
afterAll(() => daemon.finish())

const get = (headers: Record<string, string>, path = "/v1/sessions") => rawHttp(daemon.url, { path, headers })

describe("token", () => {
  test.each<{ given: string; headers: Record<string, string> }>([
    { given: "none", headers: {} },
    { given: "an empty one", headers: { authorization: "Bearer " } },
    { given: "a wrong one", headers: { authorization: "Bearer wrong" } },
    { given: "its beginning", headers: { authorization: `Bearer ${token.slice(0, -1)}` } },
    { given: "more than it", headers: { authorization: `Bearer ${token}x` } },
    { given: "it in another case", headers: { authorization: `Bearer ${token.toUpperCase()}` } },
    { given: "it without a scheme", headers: { authorization: token } },
    { given: "it in another scheme", headers: { authorization: `Basic ${token}` } },
    { given: "a wrong x-sandbox-token", headers: { "x-sandbox-token": "wrong" } },
    { given: "an empty x-sandbox-token", headers: { "x-sandbox-token": "" } },
  ])("$given is refused", async ({ headers }) => {
    const answer = await get(headers)
    expectProblem(answer, "token_invalid")
    expect(answer.headers.get("www-authenticate")).toMatch(/^Bearer/)
    expect(JSON.stringify(answer.body)).not.toContain(token)
  })

  test("in a query it does not count", async () => {
    expectProblem(await get({}, `/v1/sessions?token=${encodeURIComponent(token)}&access_token=x`), "token_invalid")
  })

  test.each<{ how: string; headers: Record<string, string> }>([
    { how: "Bearer", headers: { authorization: `Bearer ${token}` } },
    { how: "bearer", headers: { authorization: `bearer ${token}` } },
    { how: "BEARER with spaces", headers: { Authorization: `BEARER   ${token}  ` } },
    { how: "x-sandbox-token", headers: { "x-sandbox-token": token } },
    { how: "X-Sandbox-Token", headers: { "X-Sandbox-Token": token } },
    {
      how: "x-sandbox-token beside another scheme",
      headers: { authorization: "Basic eDp5", "x-sandbox-token": token },
    },
  ])("by $how it opens", async ({ headers }) => {
    expect((await get(headers)).status).toBe(200)
  })

  test("is asked for by every route that is not open, before anything else is looked at", async () => {
    for (const route of routes) {
      for (const path of [route.path, ...(route.alsoAt ?? [])]) {
        const concrete = path.replaceAll(/\{\w+\}/g, "bad%20id")
        const answer = await rawHttp(daemon.url, { method: route.method, path: concrete, body: "not json" })
        // What is sent to an open one is looked at.
        if (route.open) expect(answer.status, path).toBe(route.method === "POST" ? 415 : 200)
        else if (route.method === "HEAD") expect(answer.status).toBe(401)
        else expectProblem(answer, "token_invalid")
      }
    }
    for (const path of ["/nope", "/v1", "/opencode/session", "/v1/sessions/x/y/z"])
      expectProblem(await get({}, path), "token_invalid")
    expectProblem(await rawHttp(daemon.url, { method: "PUT", path: "/v1/health" }), "token_invalid")
  })

  test("the open pages tell nothing that needs it", async () => {
    await daemon.api.create("secret-session")
    for (const path of ["/", "/docs", "/openapi.json", "/v1/health", "/v2/health"]) {
      const answer = await get({}, path)
      expect(answer.status, path).toBe(200)
      expect(JSON.stringify(answer.body)).not.toContain("secret-session")
    }
  })

  test("is nowhere: not in logs, metrics, answers, nor in an agent's environment or arguments", async () => {
    const { api } = daemon
    await api.create("spy", { permissionMode: "bypass" })
    const events = await api.turn(
      "spy",
      "/run tr '\\0' '\\n' < /proc/$PPID/environ; tr '\\0' ' ' < /proc/$PPID/cmdline; env",
    )
    expect(outputOf(events)[0]).toContain("SANDBOX_AGENT_COOKIE")
    expect(outputOf(events)[0]).not.toContain(token)
    expect(outputOf(events)[0]).not.toContain("SANDBOX_AGENT_TOKEN")
    await get({ authorization: "Bearer wrong" })
    await api.call("GET", `/${encodeURIComponent(token)}`)
    const metrics = await api.call<string>("GET", "/metrics")
    expect(metrics.body).toContain("sandbox_agent_uptime_seconds")
    expect(metrics.body).not.toContain(token)
    expect(daemon.stderr()).toContain('"message":"process started"')
    expect(daemon.stderr() + daemon.stdout()).not.toContain(token)
    for (const pid of childrenOf(daemon.pid))
      for (const file of ["environ", "cmdline"]) expect(shown(`/proc/${pid}/${file}`)).not.toContain(token)
  })
})

describe("without --token", () => {
  test("a token is made, printed once and asked for", async () => {
    await using made = await startDaemon({ env: { SANDBOX_AGENT_TOKEN: undefined as unknown as string } })
    const printed = /token +(\S+)/.exec(made.stdout())?.[1] ?? ""
    expect(printed).toMatch(/^[0-9a-f]{48}$/)
    expect(made.stdout().split(printed).length).toBe(2)
    expect((await fetch(`${made.url}/v1/sessions`)).status).toBe(401)
    expect((await fetch(`${made.url}/v1/sessions`, { headers: { authorization: `Bearer ${printed}` } })).status).toBe(
      200,
    )
    expect(made.stderr()).not.toContain(printed)
  })

  test("--no-token serves everyone on loopback, and says so", async () => {
    await using open = await startDaemon({ flags: ["--no-token"] })
    expect(open.stdout()).toContain("anyone who reaches this address")
    expect((await fetch(`${open.url}/v1/sessions`)).status).toBe(200)
    expect((await fetch(`${open.url}/v1/sessions`, { headers: { authorization: "Bearer whatever" } })).status).toBe(200)
    // Still nobody's page and nobody's name.
    expectProblem(
      await rawHttp(open.url, { path: "/v1/sessions", headers: { host: "evil.example" } }),
      "permission_denied",
    )
    const foreign = { origin: "http://evil.example" }
    expectProblem(await rawHttp(open.url, { path: "/v1/sessions", headers: foreign }), "permission_denied")
  })

  test("--no-token off loopback does not start without --allow-open", async () => {
    await expect(startDaemon({ flags: ["--no-token", "--host", "0.0.0.0"] })).rejects.toThrow(
      /exited with [1-9].*--allow-open/s,
    )
    await using open = await startDaemon({ flags: ["--no-token", "--host", "0.0.0.0", "--allow-open"] })
    expect((await fetch(`${open.url}/v1/sessions`)).status).toBe(200)
    // Without a token a name that resolves here by rebinding must not pass either.
    expectProblem(
      await rawHttp(open.url, { path: "/v1/sessions", headers: { host: "evil.example" } }),
      "permission_denied",
    )
  })
})

/** What the kernel shows of a process; nothing of one that has gone since it was listed. */
function shown(file: string): string {
  try {
    return readFileSync(file, "latin1")
  } catch {
    return ""
  }
}

/** Every process below one. */
function childrenOf(pid: number): number[] {
  const all = readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
  const parent = (of: number) => Number(/^\d+ \(.*\) \S (\d+)/s.exec(shown(`/proc/${of}/stat`))?.[1])
  const direct = all.filter((other) => parent(other) === pid)
  return direct.flatMap((child) => [child, ...childrenOf(child)])
}
