import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { hang, reply, text, toolCall } from "@sandbox-agent/scripted-model/script"
import { codexBinary } from "@sandbox-agent/test-agents/codex"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { cancelTurn } from "../../../src/core/cancel.ts"
import { createSession } from "../../../src/core/creation.ts"
import { forkSession } from "../../../src/core/fork.ts"
import { closeProcess, killProcess } from "../../../src/core/process.ts"
import { endTurn } from "../../../src/core/turns.ts"
import { gone } from "../../supervisor/processes.ts"
import { startLive } from "./live.ts"
import { labServer } from "./mcp-server.ts"
import { RawServer } from "./raw-server.ts"
import { sharedLive } from "./shared-live.ts"

const shared = sharedLive()
const options = { timeout: 180_000 }
const bypass = { permissionMode: "bypass" } as const

describe("after kill -9", options, () => {
  test("a turn ends, and the next message goes on in the same thread", async () => {
    await using live = await startLive()
    const session = await live.open(["ANSWER", reply(text(["half ", hang()]))], bypass)
    await live.run("FIRST", session)
    const before = session.record.native.id
    const turn = live.run("SECOND", session)
    await live.until("item.delta", ({ data }) => data.delta === "half ", session)
    process.kill(live.servers[0] ?? Number.NaN, "SIGKILL")
    expect(await turn).toMatchObject({ stop_reason: "error", error: { signal: "SIGKILL" } })
    live.script(session, ["three"])
    expect(await live.run("THIRD", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(session.record.native.id).toBe(before)
    const seen = JSON.stringify(live.requests(session).at(-1)?.body)
    expect(["FIRST", "ANSWER", "SECOND", "THIRD"].filter((word) => !seen.includes(word))).toEqual([])
    // A resumed thread tells once more what its last turn used.
    expect(session.record.usage?.input_tokens).toBe(200)
    expect(live.core.context.agentStats.get("codex")?.restarts).toBe(1)
    expect(live.wrongs()).toEqual([])
  })

  test("a thread without a turn is opened as new", async () => {
    await using live = await startLive()
    const session = await live.open([], bypass)
    const before = session.record.native.id
    expect(session.record.native.durable).toBe(false)
    process.kill(live.servers[0] ?? Number.NaN, "SIGKILL")
    await live.until("error", () => true, session)
    live.model.script(["hello"])
    expect(await live.run("first", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(session.record.native.id).not.toBe(before)
    expect(live.wrongs()).toEqual([])
  })
})

describe("a session that is closed", options, () => {
  test("leaves nothing in the server, neither the thread nor its MCP servers nor its lock", async () => {
    const { live } = shared
    const session = await live.open(["one"], { ...bypass, mcp: { lab: labServer(live.directory) } })
    await live.run("first", session)
    const [pid = 0] = live.servers
    expect(await childrenOf(pid)).toContain("lab.mjs")
    await closeProcess(session)
    while ((await childrenOf(pid)).includes("lab.mjs")) await Bun.sleep(10)
    // Another program can have it now.
    await using other = await RawServer.start(codexBinary(), live.home)
    const threadId = session.record.native.id
    expect(await other.call("thread/resume", { threadId, excludeTurns: true })).toMatchObject({ result: {} })
    // And while it has it, we say so.
    live.script(session, ["two"])
    expect(await live.run("second", session)).toMatchObject({ stop_reason: "error", error: { code: "conflict" } })
    await other[Symbol.asyncDispose]()
    expect(await live.run("third", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(JSON.stringify(live.requests(session).at(-1)?.body)).toContain("first")
    expect(live.wrongs()).toEqual([])
  })

  test("is found although its thread was archived meanwhile", async () => {
    const { live } = shared
    const session = await live.open(["one", "two"], bypass)
    await live.run("first", session)
    await session.native?.kill()
    await closeProcess(session)
    await using other = await RawServer.start(codexBinary(), live.home)
    expect(await other.call("thread/archive", { threadId: session.record.native.id })).toMatchObject({ result: {} })
    expect(await live.run("second", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(live.wrongs()).toEqual([])
  })

  test("comes back to the same thread at once, on the same server or another", async () => {
    const { live } = shared
    const session = await live.open(["one", "two", "three"], bypass)
    await live.run("first", session)
    await closeProcess(session)
    expect(await live.run("second", session)).toMatchObject({ stop_reason: "end_turn" })
    await closeProcess(session)
    session.record.skills = [{ name: "other", content: "Another server" }]
    expect(await live.run("third", session)).toMatchObject({ stop_reason: "end_turn" })
    expect(live.wrongs()).toEqual([])
  })

  test("stops what runs in it", async () => {
    const { live } = shared
    const run = reply(toolCall("exec_command", { cmd: "echo $$ > pid; exec sleep 600", yield_time_ms: 250 }))
    const session = await live.open([run, "goes on"], bypass)
    await live.run("first", session)
    // The call ends after a while, whether or not the shell has begun by then.
    const file = join(session.record.directory, "pid")
    const written = () => (existsSync(file) ? readFileSync(file, "utf8").trim() : "")
    while (written() === "") await Bun.sleep(10)
    const pid = Number(written())
    await closeProcess(session)
    await gone(pid)
    expect(live.wrongs()).toEqual([])
  })

  test("by force stops what runs in its thread, and that of nobody else", async () => {
    const { live } = shared
    const run = reply(toolCall("exec_command", { cmd: "touch begun; exec sleep 600", yield_time_ms: 30_000 }))
    const one = await live.open([run], bypass)
    const other = await live.open([reply(text(["half ", hang()]))], bypass)
    await live.post("go", {}, one)
    await live.post("go", {}, other)
    await live.until("item.delta", () => true, other)
    while (!existsSync(join(one.record.directory, "begun"))) await Bun.sleep(10)
    const [pid] = live.servers
    killProcess(one)
    live.script(one, ["and on"])
    // The core ends the turn of a session that it kills.
    endTurn(one, { stop: "cancelled", forced: true }, true)
    expect(await live.run("next", one)).toMatchObject({ stop_reason: "end_turn" })
    expect([live.servers[0], other.turn === undefined]).toEqual([pid, false])
    expect(await cancelTurn(other, {})).toMatchObject({ ended: true })
    expect(live.wrongs()).toEqual([])
  })
})

describe("a resumed thread", options, () => {
  test("still shows calls that fail before they run, in their place", async () => {
    const { live } = shared
    const session = await live.open(["one"], bypass)
    await live.run("first", session)
    await closeProcess(session)
    const calls = [reply(toolCall("no_such_tool", { a: 1 })), reply(toolCall("exec_command", { cmd: "echo ran" }))]
    live.script(session, [...calls, "done"])
    await live.run("second", session)
    expect(live.transcript(session).slice(2)).toEqual([
      ...["user: second", "call no_such_tool", "result unsupported call: no_such_tool"],
      ...["call exec_command", "result ran\n", "tool_result", "assistant: done"],
    ])
    expect(live.wrongs()).toEqual([])
  })
})

describe("forks and foreign threads", options, () => {
  test("a fork has the past up to any turn", async () => {
    const { live } = shared
    const session = await live.open(["ONE", "TWO"], bypass)
    await live.run("first", session)
    const at = live.of("turn.ended", session)[0]?.sequence
    await live.run("second", session)
    const { session: fork, error } = await forkSession(live.core.sessions, session, { id: "fork-1", atSequence: at })
    expect(error).toBeUndefined()
    live.keep(fork)
    live.script(fork, ["of the fork"])
    await live.run("third", fork)
    const seen = JSON.stringify(live.requests(fork).at(-1)?.body)
    expect([seen.includes("ONE"), seen.includes("TWO"), seen.includes("third")]).toEqual([true, false, true])
    live.script(session, ["of the first"])
    await live.run("third", session)
    expect(JSON.stringify(live.requests(session).at(-1)?.body)).toContain("TWO")
    expect(fork.record.native.id).not.toBe(session.record.native.id)
    expect(live.wrongs()).toEqual([])
  })

  test("a thread of Codex's own is adopted with what was said and done in it", async () => {
    const { live } = shared
    const native = { threadId: "" }
    {
      await using other = await RawServer.start(codexBinary(), live.home)
      const opened = await other.call("thread/start", {
        cwd: live.workspace,
        approvalPolicy: "never",
        sandbox: "danger-full-access",
      })
      native.threadId = (opened.result as { thread: { id: string } }).thread.id
      live.model.script(native.threadId, [reply(toolCall("exec_command", { cmd: "echo hi" })), "ANSWER"])
      await other.turn(native.threadId, "QUESTION")
    }
    // A session that is adopted has no home of its own yet: it is the daemon's.
    vi.stubEnv("CODEX_HOME", live.home)
    onTestFinished(() => void vi.unstubAllEnvs())
    const { session, error } = await createSession(live.core.sessions, "adopted", {
      ...{ agent: "codex", directory: live.workspace, nativeSessionId: native.threadId, ...bypass },
    })
    expect(error).toBeUndefined()
    live.keep(session)
    expect(live.transcript(session)).toEqual([
      ...["user: QUESTION", "call exec_command", "result hi\n", "assistant: ANSWER"],
    ])
    live.script(session, ["more"])
    await live.run("and on", session)
    expect(JSON.stringify(live.requests(session).at(-1)?.body)).toContain("QUESTION")
    const unknown = { agent: "codex", directory: live.workspace, nativeSessionId: crypto.randomUUID() }
    await expect(createSession(live.core.sessions, "unknown", unknown)).rejects.toMatchObject({ code: "not_found" })
    expect(live.wrongs()).toEqual([])
  })
})

async function childrenOf(pid: number): Promise<string> {
  const { stdout } = Bun.spawnSync(["ps", "-eo", "ppid,args"])
  return stdout
    .toString()
    .split("\n")
    .filter((line) => line.trim().startsWith(`${pid} `))
    .join("\n")
}

describe("at the end of the daemon", options, () => {
  test("no thread is left archived in the user's home", async () => {
    const live = await startLive()
    const sessions = await Promise.all(Array.from({ length: 6 }, () => live.open(["one"], bypass)))
    await Promise.all(sessions.map((session) => live.run("first", session)))
    await Promise.all([live.core.stop(), live.supervisor.stopAll()])
    const archived = join(live.home, "archived_sessions")
    expect(existsSync(archived) ? readdirSync(archived) : []).toEqual([])
    await live[Symbol.asyncDispose]()
  })
})
