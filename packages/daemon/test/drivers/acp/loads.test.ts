import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { itemsOf, textOf } from "@sandbox-agent/conformance/events"
import { expect, test } from "vitest"
import { chooseOption } from "../../../src/core/passthrough-options.ts"
import { scratch, startDaemon } from "../../harness/daemon.ts"
import { AddedStage, sdkAgent } from "./added.ts"

/** A folder for the sessions of the agent: it goes on in it when it is started again. */
function keeping(): { folder: string; opened(): string[] } {
  const folder = join(scratch(), "kept")
  mkdirSync(folder, { recursive: true })
  const opened = () => readFileSync(join(folder, "opened"), "utf8").trim().split("\n")
  return { folder, opened }
}

/** A stage whose agent offers `session/load` and no resume. */
async function startLoading(folder: string) {
  const stage = new AddedStage("one", folder)
  await stage.create("first")
  return stage
}

const worked = ["thinks: Let me see", "call execute", "result it is done", "assistant: worked"]

test("after kill -9 of the agent it is loaded, and what it tells of the past does not come into the log again", async () => {
  const { folder, opened } = keeping()
  await using stage = await startLoading(folder)
  await stage.run("say one")
  await stage.run("work first")
  const before = stage.events()
  process.kill(stage.pid, "SIGKILL")
  await stage.until("session.updated", ({ data }) => data.agent_process === "none")
  expect(await stage.run("count")).toMatchObject({ stop_reason: "end_turn" })
  const id = stage.session.record.native.id
  expect(opened()).toEqual([`new ${id}`, `load ${id}`])
  expect(stage.events().slice(0, before.length)).toEqual(before)
  expect(stage.transcript()).toEqual([
    ...["user: say one", "assistant: one", "user: work first", ...worked],
    ...["user: count", "assistant: 3 messages, plain"],
  ])
  expect([stage.of("plan.updated").length, stage.labels()]).toEqual([1, ["added.notice"]])
  expect(stage.wrongs()).toEqual([])
})

test("killed in a turn it is loaded for the next one; the half that it kept is told once", async () => {
  const { folder, opened } = keeping()
  await using stage = await startLoading(folder)
  await stage.run("say one")
  const turn = stage.run("slow")
  await stage.until("item.delta", ({ data }) => data.delta.startsWith("word"))
  process.kill(stage.pid, "SIGKILL")
  expect(await turn).toMatchObject({ stop_reason: "error", error: { code: "agent_process_exited" } })
  await stage.run("count")
  expect(opened().map((line) => line.split(" ")[0])).toEqual(["new", "load"])
  expect(stage.transcript()).toEqual([
    ...["user: say one", "assistant: one", "user: slow", "assistant: word "],
    ...["user: count", "assistant: 3 messages, plain"],
  ])
})

test("an option of the agent's own is chosen again when it is loaded", async () => {
  const { folder } = keeping()
  await using stage = await startLoading(folder)
  await stage.run("say one")
  await chooseOption(stage.session, "style", "florid")
  process.kill(stage.pid, "SIGKILL")
  await stage.until("session.updated", ({ data }) => data.agent_process === "none")
  await stage.run("count")
  expect(stage.said()).toBe("2 messages, florid")
  await expect(chooseOption(stage.session, "style", "loud")).rejects.toMatchObject({ code: "invalid_request" })
})

test("a session of the agent's own is adopted with its past, and goes on without having it twice", async () => {
  const { folder, opened } = keeping()
  let nativeSessionId: string | undefined
  {
    await using stage = await startLoading(folder)
    await stage.run("say one")
    await stage.run("work first")
    nativeSessionId = stage.session.record.native.id
  }
  await using stage = new AddedStage("one", folder)
  await stage.create("adopted", { nativeSessionId })
  const past = ["user: say one", "assistant: one", "user: work first", ...worked]
  expect(stage.transcript()).toEqual(past)
  expect(stage.of("item.completed").every(({ replayed }) => replayed)).toBe(true)
  await stage.run("count")
  expect(stage.transcript()).toEqual([...past, "user: count", "assistant: 3 messages, plain"])
  // Once to read the past, once to go on. It says nothing of modes: what a new session has of them is asked.
  expect(
    opened()
      .slice(1)
      .map((one) => one.replace(/^new .*/, "new")),
  ).toEqual([...[`load ${nativeSessionId}`, `load ${nativeSessionId}`, "new"]])
  await expect(stage.create("no", { nativeSessionId: "nobody's" })).rejects.toMatchObject({ code: "not_found" })
})

test("after kill -9 of the daemon the session is loaded, and its log goes on as it was", async () => {
  const { folder, opened } = keeping()
  const dataDir = scratch()
  const command = { cmd: process.execPath, args: ["--no-env-file", sdkAgent, folder] }
  writeFileSync(
    join(dataDir, "agents.json"),
    JSON.stringify({ agents: [{ id: "added", name: "Added", version: "1.0.0", distribution: { command } }] }),
  )
  const before = await startDaemon({ dataDir })
  await before.api.create("s", { agent: "added" })
  await before.api.turn("s", "say one")
  await before.api.turn("s", "work first")
  const log = await before.api.events("s")
  before.kill("SIGKILL")
  await before.exited
  await using after = await startDaemon({ dataDir })
  expect(textOf(itemsOf(await after.api.turn("s", "count")))).toBe("3 messages, plain")
  expect(opened().map((line) => line.split(" ")[0])).toEqual(["new", "load"])
  const now = await after.api.events("s")
  expect(now.slice(0, log.length)).toEqual(log)
  const completed = now.slice(log.length).flatMap(({ type, data }) => (type === "item.completed" ? data : []))
  expect(completed.map((one) => (one as { item: { role?: string } }).item.role)).toEqual(["user", "assistant"])
  await after.stop()
  rmSync(dataDir, { recursive: true, force: true })
}, 120_000)
