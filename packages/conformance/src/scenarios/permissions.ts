import { existsSync } from "node:fs"
import { join } from "node:path"
import { itemsOf, stopOf } from "../events.ts"
import { has, same } from "../expect.ts"
import type { Scenario } from "../scenario.ts"
import { asked, byClient, decisions, touch } from "./ask.ts"

export const permissions: readonly Scenario[] = [
  {
    name: "a permission given once lets the command run once",
    proves: ["permission.once", "mode.default"],
    async run(scene) {
      const { id, directory } = await scene.session()
      const { command, done } = touch(directory, "once")
      for (const before of [false, true]) {
        const { turn, permission } = await asked(scene, id, await scene.prompt("askToRun", command))
        same([done(), permission.kind], [before, "command"])
        has(permission.detail?.command, "touch once", "the command")
        await scene.api.reply(id, permission, "once")
        same(decisions(await turn), [["accept", "client"]])
      }
      same(done(), true, "the command ran")
    },
  },
  {
    name: "a permission given always is not asked again in this session, and only in this one",
    proves: ["permission.always"],
    async run(scene) {
      const { id, directory } = await scene.session()
      const { command } = touch(directory, "always")
      const first = await asked(scene, id, await scene.prompt("askToRun", command))
      await scene.api.reply(id, first.permission, "always")
      same(decisions(await first.turn), [["accept_for_session", "client"]])
      same(decisions(await scene.turn(id, "askToRun", command)), [["accept", "rule"]])
      const other = await scene.session()
      const second = await asked(scene, other.id, await scene.prompt("askToRun", command))
      await scene.api.reply(other.id, second.permission, "reject")
      await second.turn
    },
  },
  {
    name: "a rejected permission refuses the tool with the message, and the model goes on",
    proves: ["permission.reject"],
    async run(scene) {
      const { id, directory } = await scene.session()
      const { command, done } = touch(directory, "rejected")
      const { turn, permission } = await asked(scene, id, await scene.prompt("askToRun", command))
      await scene.api.reply(id, permission, "reject", "not in my house")
      const events = await turn
      same([done(), decisions(events)], [false, [["reject", "client"]]])
      has(JSON.stringify(itemsOf(events)), "not in my house", "the items")
      same(stopOf(events), "end_turn")
    },
  },
  {
    name: "permission mode bypass never asks",
    proves: ["mode.bypass"],
    async run(scene) {
      const { id, directory } = await scene.session({ permissionMode: "bypass" })
      const { command, done } = touch(directory, "bypassed")
      const events = await scene.turn(id, "askToRun", command)
      same([done(), byClient(events)], [true, []])
    },
  },
  {
    name: "permission mode acceptEdits lets files be written and asks for the rest",
    proves: ["mode.acceptEdits"],
    needs: ["fileChanges"],
    async run(scene) {
      const { id, directory } = await scene.session({ permissionMode: "acceptEdits" })
      same(byClient(await scene.turn(id, "write", "edited.txt", "hello")), [])
      same(existsSync(join(directory, "edited.txt")), true, "the file is there")
      const { command, done } = touch(directory, "asked")
      const { turn, permission } = await asked(scene, id, await scene.prompt("askToRun", command))
      await scene.api.reply(id, permission, "reject")
      await turn
      same(done(), false, "the command ran")
    },
  },
  {
    name: "permission mode plan cannot write",
    proves: ["mode.plan"],
    needs: ["fileChanges"],
    async run(scene) {
      const { id, directory } = await scene.session({ permissionMode: "plan" })
      const edit = await scene.turn(id, "write", "planned.txt", "hello")
      const { command, done } = touch(directory, "commanded")
      const run = await scene.turn(id, "askToRun", command)
      same([existsSync(join(directory, "planned.txt")), done()], [false, false], "written")
      same([stopOf(edit), stopOf(run)], ["end_turn", "end_turn"])
      same([...byClient(edit), ...byClient(run)], [], "asked")
    },
  },
]
