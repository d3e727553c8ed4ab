import { readFileSync } from "node:fs"
import { userSays } from "@sandbox-agent/scripted-model/match"
import { hang, reply, text } from "@sandbox-agent/scripted-model/script"
import { when } from "@sandbox-agent/scripted-model/step"
import { versions } from "@sandbox-agent/test-agents/claude"
import { describe, expect, test } from "vitest"
import type { NativeRef } from "../../../src/core/driver.ts"
import { forkSession } from "../../../src/core/fork.ts"
import { hostFor } from "../../../src/core/opening.ts"
import { closeProcess } from "../../../src/core/process.ts"
import { sessionFile } from "../../../src/drivers/claude/home.ts"
import { startLive } from "./live.ts"

describe.each(versions)("claude %s", (version) => {
  test("after kill -9 in the middle of a turn the next message goes on in the same session", async () => {
    await using live = await startLive(["ANSWER", reply(text(["half ", hang()])), "three"], { version })
    await live.run("FIRST")
    const before = live.session.record.native.id
    const turn = live.run("SECOND")
    await live.until("item.delta", ({ data }) => data.delta === "half ")
    // It writes with a delay, and kill -9 costs it what it had not written.
    const { home, id = "" } = live.session.record.native
    const written = async () => readFileSync((await sessionFile(home, id)) ?? "/dev/null", "utf8")
    while (!(await written()).includes("SECOND")) await Bun.sleep(10)
    const [child] = await children()
    process.kill(child ?? Number.NaN, "SIGKILL")
    expect(await turn).toMatchObject({ stop_reason: "error", error: { signal: "SIGKILL" } })
    expect(await live.run("THIRD")).toMatchObject({ stop_reason: "end_turn" })
    expect(live.session.record.native.id).toBe(before)
    const seen = JSON.stringify(live.model.requests[2]?.body)
    expect(["FIRST", "ANSWER", "SECOND", "THIRD"].filter((word) => !seen.includes(word))).toEqual([])
    expect(live.session.record.usage?.input_tokens).toBe(200)
    expect(live.wrongs()).toEqual([])
  })

  test("killed before anything was written, it begins anew", async () => {
    await using live = await startLive([reply(text(["half ", hang()])), "second"], { version })
    const [child] = await children()
    await live.post("first")
    await live.until("turn.started")
    process.kill(child ?? Number.NaN, "SIGKILL")
    await live.until("turn.ended")
    live.session.record.native.durable = false // or the file was written after all
    live.model.reset()
    // A request of the one that was killed may be read only now.
    live.model.script([when(userSays("second"), "second")])
    expect(await live.run("second")).toMatchObject({ stop_reason: "end_turn" })
    expect(live.wrongs()).toEqual([])
  })

  test("after a polite stop usage goes on counting where it was", async () => {
    await using live = await startLive(["one", "two"], { version })
    await live.run("first")
    await closeProcess(live.session)
    await live.run("second")
    expect(live.session.record.usage).toMatchObject({ input_tokens: 200, output_tokens: 40 })
    expect(live.wrongs()).toEqual([])
  })

  test("a fork has the past, keeps it over a stop before its first message, and leaves the other alone", async () => {
    await using live = await startLive(["shared", "of the first", "of the fork"], { version })
    await live.run("begin")
    const { session: fork, error } = await forkSession(live.core.sessions, live.session, { id: "fork" })
    expect(error).toBeUndefined()
    live.keep(fork)
    await closeProcess(fork)
    await live.run("on")
    await live.run("elsewhere", fork)
    expect(fork.record.native.id).not.toBe(live.session.record.native.id)
    const seen = JSON.stringify(live.model.requests[2]?.body)
    expect([seen.includes("shared"), seen.includes("of the first")]).toEqual([true, false])
    expect(live.transcript(fork).at(-1)).toBe("assistant: of the fork")
    expect(live.wrongs()).toEqual([])
  })

  test("an unknown native session is begun anew with a brief, a known one can be read", async () => {
    await using live = await startLive(["hello", "hello again"], { version })
    await live.run("first")
    await closeProcess(live.session)
    const { native } = live.session.record
    const { driver } = live.session
    const host = hostFor(live.core.context, "claude")
    const past = async (ref: NativeRef) => Array.fromAsync(driver?.history?.(ref, host) ?? [])
    expect((await past(native)).map(({ role, content }) => [role, content])).toEqual([
      ["user", [{ type: "text", text: "first" }]],
      ["assistant", [{ type: "text", text: "hello" }]],
    ])
    const unknown = { ...native, id: crypto.randomUUID() }
    await expect(past(unknown)).rejects.toMatchObject({ code: "not_found" })
    await expect(past({ ...native, id: "../../etc/passwd" })).rejects.toMatchObject({ code: "not_found" })
    live.session.record.native = unknown
    expect(await live.run("second")).toMatchObject({ stop_reason: "end_turn" })
    const rebuilt = live.of("session.updated").filter(({ data }) => data.context === "rebuilt")
    expect(rebuilt.map(({ data }) => data.reason)).toEqual([expect.stringContaining("No conversation found")])
    expect(live.wrongs()).toEqual([])
  })
})

/** The processes this test has started. */
async function children(): Promise<number[]> {
  const found = Bun.spawnSync(["pgrep", "-P", String(process.pid), "-f", "claude-code"]).stdout.toString()
  return found.split("\n").filter(Boolean).map(Number)
}
