import type { Mode, Model } from "@sandbox-agent/schema/agent"
import type { Session } from "@sandbox-agent/schema/session"
import { expect } from "vitest"
import { type Case, itemsOf, only, type Scene, textOf } from "./scene.ts"

type Change = Partial<Pick<Session, "agentMode" | "model" | "variant">>

/** Changes a session, lets a turn pass, and sees that the change is in force and was logged when it was. */
async function switches(scene: Scene, id: string, change: Change, logged: Record<string, string>): Promise<void> {
  const { applied } = await scene.api.ok<{ applied: string }>("PATCH", `/v1/sessions/${id}`, change)
  expect(["now", "next_turn", "reopen"]).toContain(applied)
  expect(textOf(itemsOf(await scene.turn(id, "say", "still here")))).toBe("still here")
  expect(await scene.api.session(id)).toMatchObject(change)
  expect(only(await scene.api.events(id), "session.updated").map(({ data }) => data)).toContainEqual(
    expect.objectContaining(logged),
  )
}

const modelsOf = async (scene: Scene): Promise<{ models: Model[]; defaultModel?: string }> =>
  scene.api.ok("GET", `/v1/agents/${scene.agent}/models`)

export const settingsCases: Case[] = [
  {
    name: "modes are listed and switched, an unknown one is refused",
    needs: ["modes"],
    async run(scene) {
      const { modes } = await scene.api.ok<{ modes: Mode[] }>("GET", `/v1/agents/${scene.agent}/modes`)
      const { id } = await scene.session()
      const other = modes.find((mode) => mode.id !== "build")?.id ?? "build"
      await switches(scene, id, { agentMode: other }, { agent_mode: other })
      const refused = await scene.api.call<{ type: string }>("PATCH", `/v1/sessions/${id}`, {
        agentMode: "no such mode",
      })
      expect([refused.status, refused.body.type]).toEqual([400, "urn:sandbox-agent:error:mode_not_supported"])
    },
  },
  {
    name: "models are listed and switched",
    needs: ["models"],
    async run(scene) {
      const { models, defaultModel } = await modelsOf(scene)
      const { id } = await scene.session()
      const other = models.find((model) => model.id !== defaultModel)?.id ?? ""
      await switches(scene, id, { model: other }, { model: other })
    },
  },
  {
    name: "variants are listed and switched",
    needs: ["variants"],
    async run(scene) {
      const { models } = await modelsOf(scene)
      const model = models.find(({ variants }) => variants.length > 1)
      const { id } = await scene.session({ model: model?.id })
      const other = model?.variants.find((variant) => variant !== model.defaultVariant) ?? ""
      await switches(scene, id, { variant: other }, { variant: other })
    },
  },
]
