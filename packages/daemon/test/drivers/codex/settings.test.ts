import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { hostFor } from "../../../src/core/opening.ts"
import { patchSession } from "../../../src/core/settings.ts"
import { configFor } from "./live.ts"
import { sharedLive } from "./shared-live.ts"

const shared = sharedLive()
const options = { timeout: 180_000 }
const bypass = { permissionMode: "bypass" } as const

describe("settings", options, () => {
  test("models are Codex's own, with efforts and tiers as variants, and the user's choice as default", async () => {
    const { live } = shared
    vi.stubEnv("CODEX_HOME", live.home)
    onTestFinished(() => void vi.unstubAllEnvs())
    const driver = live.core.context.drivers.get("codex")
    const catalog = await driver?.catalog(hostFor(live.core.context, "codex"))
    expect(catalog?.defaultModel).toBe("gpt-5.5")
    expect(catalog?.models.map(({ id }) => id)).toContain("gpt-6.1-sol")
    const model = catalog?.models.find(({ id }) => id === "gpt-5.5")
    expect(model).toMatchObject({ defaultVariant: "medium" })
    const efforts = ["low", "medium", "high", "xhigh"]
    expect(model?.variants).toEqual([...efforts, ...efforts.map((effort) => `${effort}-fast`)])
    expect(catalog?.modes.map(({ id }) => id)).toEqual(["build", "plan"])
  })

  test("variant, model and mode are told with the next turn", async () => {
    const { live } = shared
    const session = await live.open(["1", "2", "3", "4"], { ...bypass, variant: "high" })
    const asked = () => {
      const body = live.requests(session).at(-1)?.body as {
        model: string
        service_tier?: string
        reasoning: { effort: string }
      }
      return [body.model, body.reasoning.effort, body.service_tier]
    }
    await live.run("one", session)
    expect(asked()).toEqual(["gpt-5.5", "high", undefined])
    await patchSession(session, { variant: "low-fast" })
    await live.run("two", session)
    expect(asked()).toEqual(["gpt-5.5", "low", "priority"])
    await patchSession(session, { variant: "low" })
    await live.run("three", session)
    expect(asked()).toEqual(["gpt-5.5", "low", undefined])
    // A variant belongs to its model: another one starts with its own.
    await patchSession(session, { model: "gpt-6-sol", agentMode: "plan" })
    await live.run("four", session)
    expect(asked()).toEqual(["gpt-6-sol", "medium", undefined])
    expect(JSON.stringify(live.requests(session).at(-1)?.body)).toContain("# Plan Mode")
    await expect(patchSession(session, { variant: "banana" })).rejects.toMatchObject({ code: "invalid_request" })
    await expect(patchSession(session, { agentMode: "banana" })).rejects.toMatchObject({ code: "mode_not_supported" })
    expect(live.wrongs()).toEqual([])
  })

  test("system prompt, skills, attachments and environment reach the agent", async () => {
    const { live } = shared
    const folder = join(live.directory, "a-skill")
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, "SKILL.md"), "---\nname: from-folder\ndescription: Comes from a folder\n---\nDo it.")
    const skills = [
      { name: "from-text", content: "# Comes from a text\nDo it." },
      { name: "from-folder", path: folder },
    ]
    const session = await live.open(["seen"], { ...bypass, systemPrompt: "SAY PLEASE", skills, env: { LAB_MARK: "x" } })
    const notes = join(session.record.directory, "notes.txt")
    writeFileSync(notes, "notes")
    await live.run("look", session, [{ path: notes }])
    const seen = JSON.stringify(live.requests(session).at(-1)?.body)
    const wanted = ["SAY PLEASE", "Comes from a text", "Comes from a folder", notes]
    expect(wanted.filter((words) => !seen.includes(words))).toEqual([])
    // Nothing of it is written into the home, and others do not have it.
    expect(readdirSync(join(live.home, "skills")).filter((name) => name !== ".system")).toEqual([])
    const other = await live.open(["seen"], bypass)
    await live.run("look", other)
    const plain = JSON.stringify(live.requests(other).at(-1)?.body)
    expect(wanted.filter((words) => plain.includes(words))).toEqual([])
    expect(live.wrongs()).toEqual([])
  })

  test("sessions with the same environment share a server, one with another has its own", async () => {
    const { live } = shared
    await live.open([], bypass)
    // Servers of sessions before may end meanwhile: only new ones tell.
    const before = live.servers
    const begun = () => live.servers.filter((pid) => !before.includes(pid))
    await live.open([], bypass)
    expect(begun()).toEqual([])
    await live.open([], { ...bypass, env: { OTHER: "1" } })
    expect(begun()).toHaveLength(1)
  })

  test("servers that begin in the same empty home do not trip over each other", async () => {
    const { live } = shared
    const fresh = join(live.directory, "fresh")
    mkdirSync(fresh)
    writeFileSync(join(fresh, "config.toml"), configFor(live.model.url))
    const open = (mark: string) => live.open([mark], { ...bypass, env: { CODEX_HOME: fresh, MARK: mark } })
    const sessions = await Promise.all(["a", "b", "c"].map(open))
    const ends = await Promise.all(sessions.map((session) => live.run("hi", session)))
    expect(ends.map(({ stop_reason }) => stop_reason)).toEqual(["end_turn", "end_turn", "end_turn"])
    expect(live.wrongs()).toEqual([])
  })

  test("what Codex has no means for is refused", async () => {
    const { live } = shared
    const mcp = { old: { type: "sse", url: "http://127.0.0.1:1/" } } as const
    await expect(live.open([], { mcp })).rejects.toMatchObject({ code: "not_supported" })
    await expect(live.open([], { variant: "banana" })).rejects.toMatchObject({ code: "invalid_request" })
    await expect(live.open([], { skills: [{ name: "x", path: "/nowhere" }] })).rejects.toMatchObject({
      code: "invalid_request",
    })
  })
})

describe("credentials", options, () => {
  test("a key in the environment opens a home of ours, and the user's stays as it is", async () => {
    const { live } = shared
    const user = join(live.directory, "user")
    mkdirSync(join(user, ".codex"), { recursive: true })
    const env = {
      HOME: user,
      CODEX_HOME: "",
      OPENAI_API_KEY: live.model.keyFor("secret"),
      OPENAI_BASE_URL: `${live.model.url}/v1`,
    }
    live.model.script("secret", ["hello", "again"])
    const session = await live.open([], { ...bypass, model: "gpt-5.5", env })
    expect(await live.run("hi", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(live.model.requestsOf("secret").length).toBe(1)
    expect(readdirSync(join(user, ".codex"))).toEqual([])
    const { home } = session.record.native
    expect(home.startsWith(join(live.directory, "agents", "codex"))).toBe(true)
    const auth = join(home, "auth.json")
    expect(readFileSync(auth, "utf8")).toContain(live.model.keyFor("secret"))
    expect(statSync(auth).mode & 0o077).toBe(0)
    // Its lines are kept; the key is in none of them.
    const rows = live.core.context.store.db.query("select * from raw").all() as Record<string, unknown>[]
    const raw = rows.map((row) =>
      Object.values(row).map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value)),
    )
    expect(raw.join("\n")).toContain("thread/start")
    expect(raw.join("\n")).not.toContain(live.model.keyFor("secret"))
    expect(live.wrongs()).toEqual([])
  })

  test("without a login the turn ends with the error of the model", async () => {
    const { live } = shared
    const bare = join(live.directory, "bare")
    mkdirSync(bare)
    const config = `
model = "gpt-5.5"
model_provider = "dead"
[model_providers.dead]
name = "dead"
base_url = "http://127.0.0.1:1/v1"
wire_api = "responses"
requires_openai_auth = true
request_max_retries = 0
stream_max_retries = 0
`
    writeFileSync(join(bare, "config.toml"), config)
    const session = await live.open([], { ...bypass, env: { CODEX_HOME: bare } })
    const ended = await live.run("hi", session)
    expect(ended).toMatchObject({ stop_reason: "error", error: { code: "connection_failed" } })
    expect(existsSync(join(bare, "auth.json"))).toBe(false)
  })
})
