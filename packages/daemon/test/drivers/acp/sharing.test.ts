import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { cancelTurn } from "../../../src/core/cancel.ts"
import { capabilitiesOf } from "../../../src/drivers/acp/agent.ts"
import { scratch } from "../../harness/daemon.ts"
import { gone } from "../../supervisor/processes.ts"
import { AddedStage } from "./added.ts"

test("of an agent nobody described, sessions share a process in one directory, with the same servers and rights", async () => {
  await using stage = new AddedStage(undefined, undefined, { traits: {} })
  const [one, two] = [await stage.create("one"), await stage.create("two")]
  expect(stage.pids).toHaveLength(1)
  const elsewhere = join(stage.workspace, "elsewhere")
  mkdirSync(elsewhere)
  await stage.create("other directory", { directory: elsewhere })
  expect(stage.pids).toHaveLength(2)
  await stage.create("unasked", { permissionMode: "bypass" })
  expect(stage.pids).toHaveLength(3)
  await stage.create("served", { mcp: { x: { command: "true" } } })
  expect(stage.pids).toHaveLength(4)
  await stage.create("own variables", { env: { A: "1" } })
  expect(stage.pids).toHaveLength(5)
  await Promise.all([stage.run("say one", one), stage.run("say two", two)])
  expect([stage.said(one), stage.said(two)]).toEqual(["one", "two"])
  expect(stage.session.driver?.capabilities.sharedProcess).toBe(true)
  expect(stage.wrongs()).toEqual([])
})

test("an entry can say that none shares, or all", async () => {
  expect([capabilitiesOf({}), capabilitiesOf({ sessions: "one" })].map((c) => c.sharedProcess)).toEqual([true, false])
  await using none = new AddedStage("one")
  await none.create("one")
  await none.create("two")
  expect(none.pids).toHaveLength(2)
  await using all = new AddedStage("many")
  await all.create("one")
  const elsewhere = join(all.workspace, "elsewhere")
  mkdirSync(elsewhere)
  await all.create("two", { directory: elsewhere })
  expect(all.pids).toHaveLength(1)
})

test.each(["single", "refusing"])("one that can hold only one session (%s) gets a process for each", async (word) => {
  await using stage = new AddedStage(undefined, undefined, { traits: {}, words: [word] })
  const [one, two, three] = [await stage.create("one"), await stage.create("two"), await stage.create("three")]
  expect(stage.pids).toHaveLength(3)
  const all = [one, two, three]
  await Promise.all(all.map((s) => stage.run(`say ${s.record.id}`, s)))
  expect(all.map((s) => stage.said(s))).toEqual(["one", "two", "three"])
  expect(stage.wrongs()).toEqual([])
})

test("the death of a shared process ends the turns in it, and each session goes on with its next message", async () => {
  await using stage = new AddedStage("directory", scratch())
  const [one, two] = [await stage.create("one"), await stage.create("two")]
  for (const s of [one, two]) await stage.run("say before", s)
  const slow = stage.run("slow", two)
  await stage.until("item.delta", ({ data }) => data.delta === "word ", two)
  process.kill(stage.pid, "SIGKILL")
  expect(await slow).toMatchObject({ stop_reason: "error", error: { signal: "SIGKILL" } })
  for (const s of [one, two]) expect(await stage.run("count", s)).toMatchObject({ stop_reason: "end_turn" })
  expect([stage.said(one), stage.said(two)]).toEqual(["2 messages, plain", "3 messages, plain"])
  expect(stage.pids).toHaveLength(1)
})

test("a turn that will not end takes the process with it, once the others have left it", async () => {
  await using stage = new AddedStage("directory", scratch(), { patience: { interruptMs: 300 } })
  const [one, two] = [await stage.create("one"), await stage.create("two")]
  for (const s of [one, two]) await stage.run("say before", s)
  const { pid } = stage
  const deaf = stage.run("deaf", one)
  await stage.until("item.delta", ({ data }) => data.delta === "word ", one)
  await cancelTurn(one, {})
  expect(await deaf).toMatchObject({ stop_reason: "cancelled", forced: true })
  await gone(pid)
  for (const s of [one, two]) expect(await stage.run("say after", s)).toMatchObject({ stop_reason: "end_turn" })
  expect(stage.pids).toHaveLength(1)
  expect(stage.of("error", two)).toEqual([])
})
