import { mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createCodexDriver } from "../../../src/drivers/codex/driver.ts"
import { scratch } from "../../harness/daemon.ts"
import { alwaysThere, DriverStage } from "../stage.ts"
import { RecordedServer } from "./recorded-server.ts"

test("acceptEdits lets Codex change files, but none that decides what it asks for", async () => {
  const server = new RecordedServer()
  const program = { installed: true, credentials: "available" as const, command: ["codex"] }
  const driver = createCodexDriver({ programs: alwaysThere(program), version: "0" })
  await using stage = new DriverStage(driver, () => server.supervisor)
  const home = scratch()
  mkdirSync(join(home, "rules"))
  symlinkSync(join(home, "rules", "linked.rules"), join(stage.workspace, "innocent"))
  symlinkSync(home, join(stage.workspace, "folder"))
  const created = stage.create("edits", { agent: "codex", permissionMode: "acceptEdits", env: { CODEX_HOME: home } })
  const { id } = await server.until(({ method }) => method === "thread/start")
  server.say({ id, result: { thread: { id: "t", path: null }, model: "m" } })
  await created
  await stage.post("go")
  const { id: turn, params } = await server.until(({ method }) => method === "turn/start")
  server.say({ id: turn, result: { turn: { id: "1" } } })
  server.say({ method: "turn/started", params: { threadId: "t", turn: { id: "1" } } })
  const item = { type: "userMessage", id: "u", clientId: params?.clientUserMessageId }
  server.say({ method: "item/started", params: { threadId: "t", item } })

  const change = async (path: string, movedTo?: string) => {
    const kind = movedTo === undefined ? { type: "add" } : { type: "update", move_path: movedTo }
    const patch = { type: "fileChange", id: path, changes: [{ path, kind, diff: "" }] }
    server.say({ method: "item/started", params: { threadId: "t", item: patch } })
    server.say({
      id: `ask ${path}`,
      method: "item/fileChange/requestApproval",
      params: { threadId: "t", itemId: path },
    })
    await stage.unheld()
    return stage.session.requests.size
  }
  const at = (...path: string[]) => join(stage.workspace, ...path)
  expect(await change(at("plain.txt"))).toBe(0)
  expect(await server.until(({ id }) => id === `ask ${at("plain.txt")}`)).toMatchObject({
    result: { decision: "accept" },
  })
  const deciding = [
    ...[join(home, "rules", "mine.rules"), join(home, "config.toml"), at(".codex", "config.toml"), at("innocent")],
    ...[at("folder", "rules", "x.rules"), `${at("sub")}/../.codex/hooks.json`],
  ]
  for (const [n, path] of deciding.entries()) expect([path, await change(path)]).toEqual([path, n + 1])
  expect(await change(at("moved.txt"), join(home, "rules", "moved.rules"))).toBe(deciding.length + 1)
  // What its item would tell was never read: it may be any file.
  const unseen = { threadId: "t", itemId: "unseen" }
  server.say({ id: "unseen", method: "item/fileChange/requestApproval", params: unseen })
  await stage.unheld()
  expect(stage.session.requests.size).toBe(deciding.length + 2)
})
