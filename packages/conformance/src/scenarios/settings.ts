import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Change } from "../api.ts"
import { itemsOf, only, textOf } from "../events.ts"
import { fits, has, holds, same } from "../expect.ts"
import { refusal } from "../refused.ts"
import type { Scenario } from "../scenario.ts"
import type { Scene } from "../scene.ts"

/** Changes a session, lets a turn pass, and sees that the change is in force and was logged when it was. */
async function switches(scene: Scene, id: string, change: Change, logged: [string, string]): Promise<void> {
  const applied = await scene.api.change(id, change)
  if (applied !== undefined) has(["now", "next_turn", "reopen"], applied)
  same(textOf(itemsOf(await scene.turn(id, "say", "still here"))), "still here")
  fits(await scene.api.session(id), change)
  const updates = only(await scene.api.events(id), "session.updated")
  has(
    updates.map(({ data }) => Object.entries(data).find(([name]) => name === logged[0])?.[1]),
    logged[1],
    "session.updated",
  )
}

/** What the agent itself says of it, where it can. */
const reportedByAgent = async (
  scene: Scene,
  id: string,
  act: "whichMode" | "whichModel" | "whichVariant",
): Promise<string | undefined> => (scene.can(act) ? textOf(itemsOf(await scene.turn(id, act))) : undefined)

export const settings: readonly Scenario[] = [
  {
    name: "modes are listed and switched, an unknown one is refused",
    proves: ["setting.mode"],
    async run(scene) {
      const modes = await scene.api.modes(scene.agent)
      const { id } = await scene.session()
      const other =
        (modes.find((mode) => mode.id === "plan") ?? modes.find((mode) => mode.id !== "build"))?.id ?? "build"
      const before = await reportedByAgent(scene, id, "whichMode")
      await switches(scene, id, { agentMode: other }, ["agent_mode", other])
      const after = await reportedByAgent(scene, id, "whichMode")
      if (before !== undefined) same([before, after], ["build", other], "what the model was told")
      same(await refusal(scene.api.change(id, { agentMode: "no such mode" })), "mode_not_supported", "an unknown mode")
    },
  },
  {
    name: "agent mode plan does not keep the agent from writing",
    proves: ["setting.independent"],
    needs: ["fileChanges"],
    means: ["planMode"],
    async run(scene) {
      const modes = await scene.api.modes(scene.agent)
      const agentMode = modes.find(({ id }) => id === "plan")?.id
      same(agentMode, "plan", "its mode for plans")
      const { id, directory } = await scene.session({ agentMode, permissionMode: "bypass" })
      const mode = await reportedByAgent(scene, id, "whichMode")
      if (mode !== undefined) same(mode, agentMode, "what the model was told")
      await scene.turn(id, "write", "free.txt", "hello")
      same(existsSync(join(directory, "free.txt")), true, "the file is there")
    },
  },
  {
    name: "models are listed and switched",
    proves: ["setting.model"],
    async run(scene) {
      const { models, defaultModel } = await scene.api.models(scene.agent)
      const { id } = await scene.session()
      const before = await reportedByAgent(scene, id, "whichModel")
      // The last: an agent's first one may be another name of its default.
      const other = models.findLast((model) => model.id !== defaultModel)?.id ?? ""
      await switches(scene, id, { model: other }, ["model", other])
      holds(
        before === undefined || before !== (await reportedByAgent(scene, id, "whichModel")),
        `${before} still answers`,
      )
    },
  },
  {
    name: "variants are listed and switched",
    proves: ["setting.variant"],
    async run(scene) {
      const { models } = await scene.api.models(scene.agent)
      const model = models.find(({ variants }) => variants.length > 1)
      const { id } = await scene.session({ model: model?.id })
      const before = await reportedByAgent(scene, id, "whichVariant")
      const other = model?.variants.find((one) => one !== model.defaultVariant && one !== before) ?? ""
      await switches(scene, id, { variant: other }, ["variant", other])
      const after = await reportedByAgent(scene, id, "whichVariant")
      if (after !== undefined) same(after, other, "the effort asked of the model")
    },
  },
]
