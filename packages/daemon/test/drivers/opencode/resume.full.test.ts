import { rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { hang, reply, text, toolCall } from "@sandbox-agent/scripted-model/script"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { cancelTurn } from "../../../src/core/cancel.ts"
import { createSession } from "../../../src/core/creation.ts"
import { forkSession } from "../../../src/core/fork.ts"
import { ensureOpen } from "../../../src/core/opening.ts"
import { closeProcess } from "../../../src/core/process.ts"
import { halt, lives } from "../../supervisor/processes.ts"
import { sharedLive } from "./shared-live.ts"

const shared = sharedLive()

describe("sessions on a server", { timeout: 240_000 }, () => {
  test("share it, and outlive it with their turns ended and their memory kept", async () => {
    const { live } = shared
    const one = await live.open(["ANSWER", reply(text(["half ", hang()])), "three"])
    const two = await live.open(["other", "still here"])
    await Promise.all([live.run("FIRST", one), live.run("other", two)])
    expect(live.servers).toHaveLength(1)
    const turn = live.run("SECOND", one)
    await live.until("item.delta", ({ data }) => data.delta === "half ", one)
    const restarts = () => live.core.context.agentStats.get("opencode")?.restarts ?? 0
    const before = [restarts(), one.record.native.id, two.record.native.id]
    process.kill(live.servers[0] ?? Number.NaN, "SIGKILL")
    expect(await turn).toMatchObject({
      stop_reason: "error",
      error: { code: "agent_process_exited", signal: "SIGKILL" },
    })
    const [third, still] = await Promise.all([live.run("THIRD", one), live.run("on", two)])
    expect([third.stop_reason, still.stop_reason]).toEqual(["end_turn", "end_turn"])
    expect([restarts() - 1, one.record.native.id, two.record.native.id]).toEqual(before)
    expect(live.servers).toHaveLength(1)
    const seen = JSON.stringify(live.model.requestsOf(one.record.native.id ?? "").at(-1)?.body)
    expect(["FIRST", "ANSWER", "SECOND", "THIRD"].filter((word) => !seen.includes(word))).toEqual([])
    expect(live.wrongs()).toEqual([])
  })

  test("a polite stop of one leaves the server and the other; it goes on where it was", async () => {
    const { live } = shared
    const one = await live.open(["one", "two"])
    const keeper = await live.open([])
    await live.run("first", one)
    const [server] = live.servers
    await closeProcess(one)
    await live.run("second", one)
    expect(one.record.usage).toMatchObject({ input_tokens: 200, output_tokens: 40 })
    expect(live.servers).toEqual([server])
    expect(keeper.process).toBe("live")
    expect(live.wrongs()).toEqual([])
  })

  test("a fork goes back to any turn and leaves the other alone", async () => {
    const { live } = shared
    const session = await live.open(["FIRST-MARK", "SECOND-MARK", "of the first"])
    await live.run("one", session)
    const at = session.log.last
    await live.run("two", session)
    const head = await forkSession(live.core.sessions, session, { id: "fork-head" })
    const early = await forkSession(live.core.sessions, session, { id: "fork-early", atSequence: at })
    const seen = async (fork: typeof session, word: string) => {
      live.script(live.keep(fork), [word])
      await live.run("on", fork)
      return JSON.stringify(live.model.requestsOf(fork.record.native.id ?? "").at(-1)?.body)
    }
    const ofHead = await seen(head.session, "of the head")
    const ofEarly = await seen(early.session, "of the early")
    expect([ofHead.includes("FIRST-MARK"), ofHead.includes("SECOND-MARK")]).toEqual([true, true])
    expect([ofEarly.includes("FIRST-MARK"), ofEarly.includes("SECOND-MARK")]).toEqual([true, false])
    expect(early.forkedAtSequence).toBeLessThanOrEqual(at)
    await live.run("three", session)
    expect(live.transcript(session).at(-1)).toBe("assistant: of the first")
    expect(live.wrongs()).toEqual([])
  })

  test("a fork asks for what the first asks", async () => {
    const { live } = shared
    const session = await live.open(["one"])
    await live.run("one", session)
    const { session: fork } = await forkSession(live.core.sessions, session, { id: "fork-asks" })
    live.script(live.keep(fork), [reply(toolCall("bash", { command: "touch x", description: "x" })), "no"])
    const turn = live.run("go", fork)
    await live.allow(fork, 1, "reject")
    expect(await turn).toMatchObject({ stop_reason: "end_turn" })
    expect(live.wrongs()).toEqual([])
  })

  test("a turn that cannot be stopped leaves its server to the others, which move when they are idle", async () => {
    const { live } = shared
    const stuck = await live.open([reply(text(["half ", hang()])), "freed"])
    const other = await live.open(["one", "two"])
    await live.run("first", other)
    const turn = live.run("go", stuck)
    await live.until("item.delta", undefined, stuck)
    const [server = 0] = live.servers
    // Stopped as a whole, it answers nothing.
    await halt(server)
    try {
      await live.waiting({ interruptMs: 300 }, () => cancelTurn(stuck, {}))
      expect(await turn).toMatchObject({ stop_reason: "cancelled", forced: true })
      expect(await live.run("again", stuck)).toMatchObject({ stop_reason: "end_turn" })
      expect(await live.run("second", other)).toMatchObject({ stop_reason: "end_turn" })
      expect(live.servers.filter((pid) => pid !== server)).toHaveLength(1)
    } finally {
      if (lives(server)) process.kill(server, "SIGCONT")
    }
    expect(live.wrongs()).toEqual([])
  })

  test("an unknown native session is begun anew with a brief, a known one can be read and taken over", async () => {
    const { live } = shared
    const session = await live.open(["hello", "again"])
    await live.run("first", session)
    await closeProcess(session)
    const { native, directory } = session.record
    session.record.native = { ...native, id: "ses_e0000000000000000000000000" }
    await ensureOpen(session)
    const rebuilt = live.of("session.updated", session).filter(({ data }) => data.context === "rebuilt")
    expect(rebuilt.map(({ data }) => data.reason)).toEqual([expect.stringContaining("Session not found")])
    // What is adopted is looked for where the daemon's own OpenCode keeps its sessions.
    for (const [name, value] of Object.entries(live.env)) vi.stubEnv(name, value)
    onTestFinished(() => void vi.unstubAllEnvs())
    const body = { agent: "opencode", directory }
    const unknown = createSession(live.core.sessions, "nobody", {
      ...body,
      nativeSessionId: "ses_e0000000000000000000000001",
    })
    await expect(unknown).rejects.toMatchObject({ code: "not_found" })
    // It is of another directory, in which programs would run.
    const config = join(directory, "opencode.json")
    writeFileSync(config, JSON.stringify({ mcp: {} }))
    const elsewhere = { ...body, directory: live.directory, nativeSessionId: native.id }
    await expect(createSession(live.core.sessions, "elsewhere", elsewhere)).rejects.toThrow("programs of its own")
    rmSync(config)
    const { session: adopted, error } = await createSession(live.core.sessions, "adopted", {
      ...body,
      nativeSessionId: native.id,
    })
    expect(error).toBeUndefined()
    expect(live.transcript(live.keep(adopted))).toEqual(["user: first", "assistant: hello"])
    await live.run("on", adopted)
    expect(live.transcript(adopted).at(-1)).toBe("assistant: again")
    expect(live.wrongs()).toEqual([])
  })
})
