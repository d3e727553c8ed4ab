import { existsSync } from "node:fs"
import { join } from "node:path"
import { itemsOf, stopOf } from "../events.ts"
import { has, same } from "../expect.ts"
import { refusal } from "../refused.ts"
import type { Scenario } from "../scenario.ts"
import type { Scene } from "../scene.ts"
import { asked, byClient, decisions, reached, touch } from "./ask.ts"

/** Names that agents have for asking less. None is an agent mode, of any agent. */
const asksLess = ["yolo", "auto", "autoEdit", "auto-edit", "acceptEdits", "dontAsk", "bypassPermissions", "agent"]

/** Neither a command nor a change of a file goes unasked. */
async function asksForAll(scene: Scene, id: string, directory: string, mark: string): Promise<void> {
  const { command, done } = touch(directory, mark)
  const file = `${mark}.txt`
  const write = scene.can("askToWrite") ? "askToWrite" : "write"
  for (const prompt of [await scene.prompt("askToRun", command), await scene.prompt(write, file, "hello")]) {
    const { turn, permission } = await asked(scene, id, prompt)
    await scene.api.reply(id, permission, "reject")
    same(byClient(await turn)[0], ["reject", "client"], mark)
  }
  same([done(), existsSync(join(directory, file))], [false, false], `written in ${mark}`)
}

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
    name: "permission mode default asks in every agent mode that can be chosen",
    proves: ["mode.every"],
    needs: ["fileChanges"],
    times: 4,
    async run(scene) {
      const modes = await scene.api.modes(scene.agent)
      const { id, directory } = await scene.session()
      await asksForAll(scene, id, directory, "made-in-build")
      for (const { id: agentMode, unverified } of modes.filter((mode) => mode.id !== "build")) {
        if (unverified) {
          same(await refusal(scene.api.change(id, { agentMode })), "permission_denied", agentMode)
          continue
        }
        await scene.api.change(id, { agentMode })
        await asksForAll(scene, id, directory, `changed-to-${agentMode}`)
        const made = await scene.session({ agentMode })
        await asksForAll(scene, made.id, made.directory, `made-in-${agentMode}`)
      }
      for (const agentMode of asksLess) {
        same(
          modes.some((mode) => mode.id === agentMode),
          false,
          `${agentMode} is listed`,
        )
        same(await refusal(scene.api.change(id, { agentMode })), "mode_not_supported", agentMode)
      }
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
    name: "the words of a rejected permission reach the model",
    proves: ["permission.words"],
    means: ["words"],
    async run(scene) {
      const { id, directory } = await scene.session()
      const { command } = touch(directory, "refused")
      const { turn, permission } = await asked(scene, id, await scene.prompt("askToRun", command))
      await scene.api.reply(id, permission, "reject", "only on Sundays")
      await reached(scene, id, await turn, "only on Sundays")
    },
  },
  {
    name: "permission mode default asks before a file is written",
    proves: ["mode.default"],
    needs: ["fileChanges"],
    async run(scene) {
      const { id, directory } = await scene.session()
      const there = () => existsSync(join(directory, "asked.txt"))
      for (const reply of ["reject", "once"] as const) {
        const { turn, permission } = await asked(scene, id, await scene.prompt("write", "asked.txt", "hello"))
        same([permission.kind, there()], ["file_change", false])
        await scene.api.reply(id, permission, reply)
        same(stopOf(await turn), "end_turn")
      }
      same(there(), true, "the file is there")
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
