import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { CreateSession } from "@sandbox-agent/schema/session"
import { expect, test } from "vitest"
import { createSession } from "../../../src/core/creation.ts"
import type { Deadlines } from "../../../src/core/deadline.ts"
import { closeProcess } from "../../../src/core/process.ts"
import { replyPermission, replyQuestion } from "../../../src/core/replies.ts"
import { createAcpDriver } from "../../../src/drivers/acp/driver.ts"
import { createSupervisor, type ListingSupervisor } from "../../../src/supervisor/supervisor.ts"
import { alwaysThere, DriverStage } from "../stage.ts"

const program = fileURLToPath(new URL("./opening-agent.ts", import.meta.url))

class OpeningStage extends DriverStage {
  constructor(sessions: "one" | "many", words: readonly string[] = [], patience: Partial<Deadlines> = {}) {
    const agent = { id: "difficult", name: "Difficult", args: words, env: {}, traits: { sessions } }
    const command = [process.execPath, "--no-env-file", program]
    const programs = alwaysThere({ installed: true, credentials: "available", command })
    const supervisor = (daemonId: string) => createSupervisor({ daemonId, log: () => {} })
    super(createAcpDriver({ agent, programs, lingerMs: 0 }), supervisor, patience)
  }

  /** In a folder whose name says how the agent opens it. */
  async in(folder: string, id = folder, more: Partial<CreateSession> = {}) {
    const directory = join(this.workspace, folder)
    mkdirSync(directory, { recursive: true })
    const { session } = await createSession(this.core.sessions, id, { agent: "difficult", directory, ...more })
    return this.keep(session)
  }

  get children() {
    return (this.core.context.supervisor as ListingSupervisor).list()
  }

  said(s = this.session): string {
    return this.transcript(s).at(-1) ?? ""
  }
}

const commandsOf = (stage: OpeningStage, s = stage.session) =>
  stage.of("session.updated", s).flatMap(({ data }) => data.commands?.map(({ name }) => name) ?? [])

test.each(["one", "many"] as const)(
  "what an agent asks before it has answered `initialize` is answered (%s)",
  async (sessions) => {
    await using stage = new OpeningStage(sessions, ["asks"])
    const s = await stage.in("plain")
    expect(s.record.error).toBeUndefined()
    await stage.run("tell")
    expect(stage.said()).toBe("assistant: refused")
  },
)

test("one that does not open costs the others nothing, and who comes next joins them", async () => {
  // It says that it loads sessions: whoever left its process would have to begin anew.
  await using stage = new OpeningStage("many", ["forgetful"])
  const kept = await stage.in("kept")
  await stage.run("tell", kept)
  const [child] = stage.children
  const lost = await stage.waiting({ openMs: 1_000 }, () => stage.in("never"))
  expect(lost.record.error).toMatchObject({
    code: "timeout",
    message: expect.stringMatching(/did not start within 1000 ms: it waited for its answer to session\/new$/),
  })
  await stage.run("tell", kept)
  expect(stage.said(kept)).toBe("assistant: cancelled never")
  const next = await stage.in("next")
  expect(commandsOf(stage, next)).toEqual(["next-3"])
  expect(stage.of("session.updated", kept).flatMap(({ data }) => data.context ?? data.agent_process ?? [])).toEqual([
    "starting",
    "live",
  ])
  expect(stage.children.map(({ pid }) => pid)).toEqual([child?.pid])
})

test("one that cannot go on where it was is tried again in another process, and the others stay", async () => {
  await using stage = new OpeningStage("many", ["stuck"])
  const [kept, left] = [await stage.in("kept"), await stage.in("left")]
  for (const s of [kept, left]) await stage.run("tell", s)
  const [child] = stage.children
  await closeProcess(left)
  await stage.waiting({ openMs: 1_000 }, async () => {
    const id = await stage.post("one", {}, left)
    await stage.until("message.updated", ({ data }) => data.message_id === id && data.state === "failed", left)
  })
  expect(await stage.run("two", left)).toMatchObject({ stop_reason: "end_turn" })
  expect(await stage.run("two", kept)).toMatchObject({ stop_reason: "end_turn" })
  for (const s of [kept, left])
    expect(stage.of("session.updated", s).flatMap(({ data }) => data.context ?? [])).toEqual([])
  expect(stage.children.map(({ pid }) => pid)).toContain(child?.pid)
  expect(stage.children).toHaveLength(2)
})

test("a session given up while it opens holds nothing: its process ends with the last of the others", async () => {
  await using stage = new OpeningStage("many")
  const kept = await stage.in("kept")
  const [child] = stage.children
  const lost = await stage.waiting({ openMs: 1_000 }, () => stage.in("never"))
  expect(lost.record.error?.code).toBe("timeout")
  await stage.run("tell", kept)
  expect(stage.said(kept)).toBe("assistant: cancelled never")
  const next = await stage.in("next")
  for (const s of [kept, next]) await stage.core.sessions.delete(s)
  await expect.poll(() => stage.children.some(({ pid }) => pid === child?.pid)).toBe(false)
})

test("one deleted while it opens is given up, and closed when the agent names it after all", async () => {
  await using stage = new OpeningStage("many")
  const other = await stage.in("other")
  const creating = stage.in("late")
  // One that the agent was never asked for needs no giving up.
  await expect.poll(() => existsSync(join(stage.workspace, "late", "asked"))).toBe(true)
  const late = stage.core.sessions.get("late")
  expect(late.process).toBe("starting")
  await stage.core.sessions.delete(late)
  await creating
  await expect
    .poll(async () => {
      await stage.run("tell", other)
      return stage.said(other)
    })
    .toBe("assistant: cancelled late-2, closed late-2")
})

test("of several that open at once each is told its own", async () => {
  await using stage = new OpeningStage("many")
  const all = await Promise.all(["a", "b", "c"].map((name) => stage.in(name)))
  expect(all.map((s) => commandsOf(stage, s))).toEqual(all.map((s) => [s.record.native.id]))
  expect(stage.children).toHaveLength(1)
  expect(stage.wrongs()).toEqual([])
})

test("one that never answers `initialize` is ended when nobody waits for it any more, and another is started", async () => {
  await using stage = new OpeningStage("many", ["mute"], { openMs: 300 })
  const first = await stage.in("first")
  expect(first.record.error?.code).toBe("timeout")
  await expect.poll(() => stage.children).toEqual([])
})

const asked = (stage: OpeningStage, id: string) =>
  expect.poll(() => [...stage.core.sessions.get(id).requests.keys()], { timeout: 30_000 })

test.each(["one", "many"] as const)("what a session is asked while it opens is answered (%s)", async (sessions) => {
  await using stage = new OpeningStage(sessions)
  const trusting = stage.in("trust")
  await asked(stage, "trust").toHaveLength(1)
  const [permission = ""] = stage.core.sessions.get("trust").requests.keys()
  await replyPermission(stage.core.sessions.get("trust"), permission, "once")
  const s = await trusting
  expect([s.record.error, s.status]).toEqual([undefined, "idle"])
  await stage.run("tell", s)
  expect(stage.said(s)).toContain('{"outcome":{"outcome":"selected","optionId":"allow"}}')

  const filling = stage.in("trust-form")
  await asked(stage, "trust-form").toHaveLength(1)
  const [question = ""] = stage.core.sessions.get("trust-form").requests.keys()
  const form = stage.core.sessions.get("trust-form")
  await expect(replyQuestion(form, question, [["abc"], ["1.5x"]])).rejects.toMatchObject({ code: "invalid_request" })
  await replyQuestion(form, question, [["abc"], ["7"]])
  const filled = await filling
  await stage.run("tell", filled)
  expect(stage.said(filled)).toContain('{"action":"accept","content":{"key":"abc","n":7}}')

  const free = await stage.in("trusted", "free", { permissionMode: "bypass" })
  await stage.run("tell", free)
  expect(stage.said(free)).toContain("allow")
})

test("what was asked while it opened, and its call, end with an opening that fails", async () => {
  await using stage = new OpeningStage("one")
  const s = await stage.waiting({ openMs: 1_000 }, () => stage.in("trust"))
  expect(s.record.error?.code).toBe("timeout")
  expect(stage.of("permission.resolved", s).map(({ data }) => data.status)).toEqual(["cancelled"])
  expect(stage.transcript(s)).toContain("result no result: lost")
  expect([s.status, s.requests.size]).toEqual(["idle", 0])
  expect(stage.wrongs()).toEqual([])
})

test("what a session is asked while it opens comes after what was said before it", async () => {
  await using stage = new OpeningStage("many")
  const opening = stage.in("trust-said")
  await asked(stage, "trust-said").toHaveLength(1)
  const s = stage.core.sessions.get("trust-said")
  const [permission = ""] = s.requests.keys()
  await replyPermission(s, permission, "once")
  stage.keep(await opening)
  const events = stage.events(s)
  const said = events.findIndex((event) => event.type === "item.started" && event.data.item.kind === "message")
  expect(said).toBeGreaterThan(-1)
  expect(said).toBeLessThan(events.findIndex(({ type }) => type === "permission.requested"))
  expect(stage.wrongs(true)).toEqual([])
})
