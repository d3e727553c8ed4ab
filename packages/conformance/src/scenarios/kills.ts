import { itemsOf, only, textOf } from "../events.ts"
import { same } from "../expect.ts"
import { killAgent } from "../kill-agent.ts"
import type { Scenario } from "../scenario.ts"
import type { Scene } from "../scene.ts"
import { asked, decisions, touch } from "./ask.ts"

/** The request that was open is over, its turn too, and the next message is answered. */
async function isSettled(scene: Scene, id: string): Promise<void> {
  await scene.api.until(id, "turn.ended")
  const events = await scene.api.events(id)
  same(
    decisions(events).map(([status]) => status),
    ["cancelled"],
    "the request",
  )
  same(
    only(events, "turn.ended").map(({ data }) => data.stop_reason),
    ["error"],
    "the turn",
  )
  same(textOf(itemsOf(await scene.turn(id, "say", "after"))), "after")
}

export const kills: readonly Scenario[] = [
  {
    name: "a permission given always holds after kill -9 of the daemon",
    proves: ["permission.kept"],
    means: ["restart"],
    async run(scene) {
      const { id, directory } = await scene.session()
      const { command, done } = touch(directory, "kept")
      const { turn, permission } = await asked(scene, id, await scene.prompt("askToRun", command))
      await scene.api.reply(id, permission, "always")
      await turn
      same(done(), true, "the command ran")
      await scene.restart()
      same(decisions(await scene.turn(id, "askToRun", command)), [["accept", "rule"]])
    },
  },
  {
    name: "a request that is open when the agent is killed is cancelled",
    proves: ["resume.request"],
    needs: ["permissions"],
    alone: true,
    async run(scene) {
      const { id, directory } = await scene.session()
      const { command } = touch(directory, "never")
      await asked(scene, id, await scene.prompt("askToRun", command))
      await killAgent(scene, id, 0)
      await isSettled(scene, id)
    },
  },
  {
    name: "a request that is open when the daemon is killed is cancelled",
    proves: ["resume.request"],
    needs: ["permissions"],
    means: ["restart"],
    async run(scene) {
      const { id, directory } = await scene.session()
      const { command } = touch(directory, "never")
      await asked(scene, id, await scene.prompt("askToRun", command))
      await scene.restart()
      await isSettled(scene, id)
    },
  },
]
