import { realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Session } from "@sandbox-agent/schema/session"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { scratch } from "../harness/daemon.ts"
import { type CheckedDaemon, startChecked } from "./checked-api.ts"
import { expectProblem } from "./contract-check.ts"
import { outputOf, textOf } from "./transcript.ts"

let daemon: CheckedDaemon
beforeAll(async () => {
  daemon = await startChecked()
})
afterAll(() => daemon.finish())
interface Created {
  session: Session
}
const created = {
  agent: "mock",
  agentMode: "build",
  permissionMode: "default",
  status: "idle",
  background: 0,
  queue: [],
}

describe("create", () => {
  test("takes the defaults, opens the agent and logs session.started", async () => {
    const { api } = daemon
    const { healthy, session } = await api.create("plain")
    expect(healthy).toBe(true)
    expect(session).toMatchObject({ id: "plain", ...created, agentProcess: "live", metadata: {}, firstSequence: 1 })
    expect(session.directory).toBe(realpathSync(daemon.dataDir))
    expect(session.nativeSessionId).toEqual(expect.any(String))
    expect(await api.session("plain")).toEqual(session)
    const [first, ...rest] = await api.events("plain")
    expect(first).toMatchObject({ type: "session.started", data: { metadata: {} }, source: "daemon" })
    expect(rest.map((event) => event.data)).toContainEqual({ status: "idle" })
    expect(rest.map((event) => event.data)).toContainEqual(
      expect.objectContaining({
        native_session_id: session.nativeSessionId,
        commands: expect.arrayContaining([expect.objectContaining({ name: "permission" })]),
      }),
    )
  })

  test("without an id gets one of the daemon's, the same session in all else", async () => {
    const { api } = daemon
    const make = () => api.call<Created>("POST", "/v1/sessions", { agent: "mock", title: "unnamed" })
    const [one, two] = await Promise.all([make(), make()])
    expect([one.status, two.status]).toEqual([201, 201])
    const { session } = one.body
    expect(session).toMatchObject({ ...created, title: "unnamed" })
    expect(session.id).not.toBe(two.body.session.id)
    expect(await api.session(session.id)).toEqual(session)
    expect(textOf(await api.turn(session.id, "hello"))).toBe("hello")
    expectProblem(await api.call("POST", `/v1/sessions/${session.id}`, { agent: "mock" }), "session_already_exists")
    expectProblem(await api.call("POST", "/v1/sessions", { agent: "nobody" }), "unsupported_agent")
  })

  test("takes every option and gives all but the secrets back", async () => {
    const { api } = daemon
    const directory = realpathSync(scratch())
    const shown = {
      agentMode: "plan",
      permissionMode: "bypass",
      model: "mock-large",
      variant: "high",
      directory,
      title: "Ein Titel ✓",
      metadata: { team: "a", nested: { deep: [1, null, "x"] } },
    }
    const secret = {
      env: { API_KEY: "env-secret-77", EMPTY: "" },
    }
    const { session } = await api.create("full", { ...shown, ...secret })
    expect(session).toMatchObject(shown)
    const events = await api.turn("full", '/run pwd\n/run printf %s "$API_KEY" | md5sum')
    expect(outputOf(events)).toEqual([`${directory}\n`, expect.stringMatching(/^[0-9a-f]{32}/)])

    const texts = await Promise.all(
      ["", "/items", "/pending", "/events?limit=1000&include_raw=true"]
        .map((path) => `/v1/sessions/full${path}`)
        .concat("/v1/sessions", "/v1/agents", "/metrics")
        .map(async (path) => JSON.stringify((await api.call("GET", path)).body)),
    )
    for (const text of texts) expect(text).not.toMatch(/env-secret-77/)
    expect(daemon.stderr()).not.toMatch(/env-secret-77/)
  })

  test("env reaches the agent and the daemon's own settings do not", async () => {
    const { api } = daemon
    await api.create("environment", {
      permissionMode: "bypass",
      env: { GREETING: "good day", SANDBOX_AGENT_TOKEN: "mine", PATH: "/usr/bin:/bin" },
    })
    const env = outputOf(await api.turn("environment", "/run env"))[0] ?? ""
    expect(env.split("\n")).toEqual(expect.arrayContaining(["GREETING=good day", "PATH=/usr/bin:/bin"]))
    expect(env).not.toContain("SANDBOX_AGENT_TOKEN")
    expect(env).not.toContain(daemon.token)
  })

  test("a session whose agent will not start stands, unhealthy; the next message says why, and works once it is cured", async () => {
    const { api } = daemon
    const missing = join(daemon.dataDir, "not-there-yet.ts") // what the agent's runtime is told to load first
    const answer = await api.call<{ healthy: boolean; error?: { code: string }; session: Session }>(
      "POST",
      "/v1/sessions/sick",
      { agent: "mock", env: { BUN_OPTIONS: `--preload=${missing}` } },
    )
    expect(answer.status).toBe(201)
    expect(answer.body).toMatchObject({
      healthy: false,
      error: { code: "agent_process_exited", agent: "mock", sessionId: "sick" },
    })
    expect(answer.body.session).toMatchObject({ status: "idle", agentProcess: "none", error: answer.body.error })
    const ended = (await api.turn("sick", "hello")).at(-1)
    expect(ended).toMatchObject({
      type: "message.updated",
      data: { state: "failed", error: { code: "agent_process_exited" } },
    })
    expect((await api.events("sick")).at(-1)).toMatchObject({ type: "turn.ended", data: { stop_reason: "error" } })
    writeFileSync(missing, "")
    expect(textOf(await api.turn("sick", "hello"))).toBe("hello")
    expect((await api.session("sick")).error).toBeUndefined()
  })

  test("a model or variant the agent does not have is a problem, and no session", async () => {
    const { api } = daemon
    for (const body of [{ model: "no-such-model" }, { variant: "ultra" }, { model: "mock-small", variant: "high" }]) {
      const answer = await api.call("POST", "/v1/sessions/choosy", { agent: "mock", ...body })
      expect(answer).toMatchObject({ status: 400, body: { type: "urn:sandbox-agent:error:invalid_request" } })
    }
    expect((await api.call("GET", "/v1/sessions/choosy")).status).toBe(404)
  })

  test("two creates of one id at once make one session", async () => {
    const { api } = daemon
    const answers = await Promise.all([1, 2, 3].map(() => api.call("POST", "/v1/sessions/race", { agent: "mock" })))
    expect(answers.map((answer) => answer.status).sort()).toEqual([201, 409, 409])
    for (const answer of answers) if (answer.status === 409) expectProblem(answer, "session_already_exists")
  })

  test.each(["a", "A.b_c:d-e", "0", "...", "x".repeat(128), "session:weird", "-rf"])("%s is an id", async (id) => {
    const { api } = daemon
    await api.create(encodeURIComponent(id))
    expect(textOf(await api.turn(encodeURIComponent(id), "hi"))).toBe("hi")
    expect((await api.session(encodeURIComponent(id))).id).toBe(id)
  })
})

describe("list", () => {
  const ids = async (query: string) => {
    const { sessions } = await daemon.api.ok<{ sessions: Session[] }>("GET", `/v1/sessions?${query}`)
    return sessions.map((session) => session.id)
  }

  test("newest first, by pages that meet without gap or double, also while sessions are made", async () => {
    const { api } = daemon
    for (const n of [1, 2, 3, 4, 5]) await api.create(`list-${n}`)
    expect((await ids("limit=5")).reverse()).toEqual([1, 2, 3, 4, 5].map((n) => `list-${n}`))
    const all = await ids("limit=200")
    const paged: string[] = []
    for (let cursor: string | undefined = ""; cursor !== undefined; ) {
      const page: { sessions: Session[]; nextCursor?: string } = await api.ok(
        "GET",
        `/v1/sessions?limit=3${cursor && `&cursor=${cursor}`}`,
      )
      if (paged.length === 0) await api.create("list-between")
      expect(page.sessions.length).toBeLessThanOrEqual(3)
      paged.push(...page.sessions.map((session) => session.id))
      cursor = page.nextCursor
    }
    expect(paged).toEqual(all)
  })

  test("filters by status and by agent", async () => {
    const { api } = daemon
    await api.create("list-ended")
    await api.ok("POST", "/v1/sessions/list-ended/terminate")
    await api.create("list-running")
    await api.send("list-running", "/sleep 60000")
    await api.asleep("list-running")
    await api.create("list-waiting")
    await api.send("list-waiting", "/question")
    await api.question("list-waiting")
    expect(await ids("status=ended")).toEqual(["list-ended"])
    expect(await ids("status=running")).toEqual(["list-running"])
    expect(await ids("status=waiting&agent=mock")).toEqual(["list-waiting"])
    expect(await ids("agent=claude")).toEqual([])
    expect(await ids("status=idle&limit=200")).not.toContain("list-waiting")
    for (const id of ["list-running", "list-waiting"]) await api.ok("POST", `/v1/sessions/${id}/cancel`)
  })
})
