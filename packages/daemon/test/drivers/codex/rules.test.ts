import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { reply, toolCall } from "@sandbox-agent/scripted-model/script"
import { expect, test } from "vitest"
import { replyPermission } from "../../../src/core/replies.ts"
import { startLive } from "./live.ts"

const run = (cmd: string) => reply(toolCall("exec_command", { cmd }))
const rule = (word: string, decision: string) => `prefix_rule(pattern=["${word}"]${decision})\n`

test("rules of the user that allow commands are told, those that ask are not, and a project's count for nothing", async () => {
  await using live = await startLive()
  mkdirSync(join(live.home, "rules"))
  const asks = join(live.home, "rules", "asks.rules")
  const allows = join(live.home, "rules", "default.rules")
  writeFileSync(asks, rule("mkdir", ', decision="prompt"'))
  const directory = join(live.directory, "project")
  mkdirSync(join(directory, ".codex", "rules"), { recursive: true })
  writeFileSync(join(directory, ".codex", "rules", "p.rules"), rule("touch", ', decision="allow"'))
  const first = await live.open([run("touch a"), "done"], { directory })
  const turn = live.run("go", first)
  await replyPermission(first, (await live.permission(1, first)).permission_id, "reject")
  await turn
  expect([existsSync(join(directory, "a")), live.labels(first)]).toEqual([false, []])

  writeFileSync(allows, rule("touch", ""))
  // A home is read once, by the server of its sessions; another variable means another server.
  const env = { ANOTHER_SERVER: "1" }
  const second = await live.open([run("touch b"), run("mkdir c"), "done"], { directory, env })
  const again = live.run("go", second)
  const asked = await live.permission(1, second)
  expect(asked.detail?.command).toBe("mkdir c")
  await replyPermission(second, asked.permission_id, "reject")
  await again
  // The day that Codex asks for it, this fails, and the note can go.
  expect(existsSync(join(directory, "b"))).toBe(true)
  expect(live.labels(second)).toEqual(["codex.rules"])
  expect(JSON.stringify(live.items(second))).toContain(allows)
  expect(JSON.stringify(live.items(second))).not.toContain(asks)
  expect(live.wrongs()).toEqual([])
}, 180_000)
