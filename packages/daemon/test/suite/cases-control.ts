import { expect } from "vitest"
import { type Case, itemsOf, only, type Scene, textOf } from "./scene.ts"

/** Cancels what runs and gives the end of its turn: confirmed by the agent, not forced. */
async function interrupts(scene: Scene, id: string): Promise<void> {
  const cancelled = await scene.api.ok<{ ended: boolean; turnId: string }>("POST", `/v1/sessions/${id}/cancel`, {})
  expect(cancelled.ended).toBe(true)
  const ended = await scene.api.until(id, "turn.ended", ({ data }) => data.turn_id === cancelled.turnId)
  expect([ended.data.stop_reason, ended.data.forced]).toEqual(["cancelled", undefined])
}

export const controlCases: Case[] = [
  {
    name: "a text is interrupted, keeps what was said, and the next message is taken",
    needs: ["interrupt"],
    async run(scene) {
      const { id } = await scene.session()
      await scene.api.send(id, await scene.prompt("longText"))
      await scene.api.until(id, "item.delta")
      await interrupts(scene, id)
      const cut = (await scene.api.items(id)).items.at(-1)
      expect([cut?.status, textOf(cut ? [cut] : [])]).toEqual(["failed", expect.stringMatching(/./)])
      expect(textOf(itemsOf(await scene.turn(id, "say", "and on")))).toBe("and on")
    },
  },
  {
    name: "a running command is interrupted and its call gets a result",
    needs: ["interrupt", "commandExecution"],
    async run(scene) {
      const { id } = await scene.session({ permissionMode: "bypass" })
      await scene.api.send(id, await scene.prompt("longRun", "echo started; sleep 600"))
      await scene.api.until(id, "item.completed", ({ data }) => data.item.kind === "tool_call")
      await interrupts(scene, id)
      const kinds = (await scene.api.items(id)).items.map(({ kind }) => kind)
      expect(kinds.filter((kind) => kind === "tool_result")).toHaveLength(1)
      expect(textOf(itemsOf(await scene.turn(id, "say", "and on")))).toBe("and on")
    },
  },
  {
    name: "messages wait for the running turn and go in their order; a waiting one can be withdrawn",
    needs: ["textMessages", "interrupt"],
    async run(scene) {
      const { id } = await scene.session()
      await scene.api.send(id, await scene.prompt("longText"))
      await scene.api.until(id, "item.delta")
      const two = await scene.api.send(id, await scene.prompt("say", "two"))
      const gone = await scene.api.send(id, "never sent")
      expect([two.position, gone.position]).toEqual([1, 2])
      await scene.api.ok("DELETE", `/v1/sessions/${id}/messages/${gone.messageId}`)
      await interrupts(scene, id)
      await scene.api.until(id, "turn.ended", ({ data }) => data.message_ids.includes(two.messageId))
      expect(textOf((await scene.api.items(id)).items)).toMatch(/two$/)
      const states = only(await scene.api.events(id), "message.updated").flatMap(({ data }) =>
        data.state === "queued" ? [] : [data.state],
      )
      expect(states).toEqual(["taken", "withdrawn", "taken"])
    },
  },
  {
    name: "a steered message is taken by the running turn or by the next one",
    needs: ["steer", "interrupt"],
    async run(scene) {
      const { id } = await scene.session()
      await scene.api.send(id, await scene.prompt("longText"))
      await scene.api.until(id, "item.delta")
      const { messageId } = await scene.api.send(id, await scene.prompt("say", "steered"), { delivery: "steer" })
      const taken = await scene.api.until(
        id,
        "message.updated",
        ({ data }) => data.message_id === messageId && data.state === "taken",
      )
      await interrupts(scene, id)
      const ended = only(await scene.api.events(id), "turn.ended").find(({ data }) =>
        data.message_ids.includes(messageId),
      )
      expect(ended?.data.turn_id).toBe(taken.data.turn_id)
    },
  },
]
