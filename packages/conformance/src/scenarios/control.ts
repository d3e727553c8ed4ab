import { itemsOf, only, textOf } from "../events.ts"
import { holds, same } from "../expect.ts"
import { refusal } from "../refused.ts"
import type { Scenario } from "../scenario.ts"
import type { Scene } from "../scene.ts"

/** Cancels what runs and sees the end of its turn: confirmed by the agent, not forced. */
async function interrupts(scene: Scene, id: string): Promise<void> {
  const turn = await scene.api.cancel(id)
  const ended = await scene.api.until(id, "turn.ended", ({ data }) => data.turn_id === turn)
  same([ended.data.stop_reason, ended.data.forced], ["cancelled", undefined])
}

const expectStillWorks = async (scene: Scene, id: string): Promise<void> =>
  same(textOf(itemsOf(await scene.turn(id, "say", "and on"))), "and on")

export const control: readonly Scenario[] = [
  {
    name: "a text is interrupted, keeps what was said, and the next message is taken",
    proves: ["interrupt.text"],
    means: ["partialText"],
    async run(scene) {
      const { id } = await scene.session()
      await scene.api.send(id, await scene.prompt("longText"))
      await scene.api.until(id, "item.delta")
      await interrupts(scene, id)
      const cut = (await scene.api.items(id)).items.at(-1)
      same(cut?.status, "failed", "the cut item")
      holds(textOf(cut ? [cut] : []) !== "", "what was said is lost")
      await expectStillWorks(scene, id)
    },
  },
  {
    name: "a running command is interrupted and its call gets a result",
    proves: ["interrupt.tool"],
    needs: ["commandExecution"],
    async run(scene) {
      const { id } = await scene.session({ permissionMode: "bypass" })
      await scene.api.send(id, await scene.prompt("longRun", "echo started; sleep 600"))
      await scene.api.until(id, "item.completed", ({ data }) => data.item.kind === "tool_call")
      await interrupts(scene, id)
      const kinds = (await scene.api.items(id)).items.map(({ kind }) => kind)
      same(kinds.filter((kind) => kind === "tool_result").length, 1, "results")
      await expectStillWorks(scene, id)
    },
  },
  {
    name: "messages wait for the running turn and go in their order; a waiting one can be withdrawn",
    proves: ["message.queue", "message.withdraw"],
    needs: ["interrupt"],
    async run(scene) {
      const { id } = await scene.session()
      await scene.api.send(id, await scene.prompt("longText"))
      await scene.api.until(id, "item.delta")
      const two = await scene.api.send(id, await scene.prompt("say", "two"))
      const gone = await scene.api.send(id, "never sent")
      same([two.position, gone.position], [1, 2])
      await scene.api.withdraw(id, gone.messageId)
      await interrupts(scene, id)
      await scene.api.until(id, "turn.ended", ({ data }) => data.message_ids.includes(two.messageId))
      const said = textOf((await scene.api.items(id)).items)
      holds(said.endsWith("two"), `the second message was not answered last: ${said.slice(-200)}`)
      const states = only(await scene.api.events(id), "message.updated").map(({ data }) => data.state)
      same(
        states.filter((state) => state !== "queued"),
        ["taken", "withdrawn", "taken"],
      )
    },
  },
  {
    name: "a steered message is taken by the running turn or by the next one",
    proves: ["message.steer"],
    needs: ["interrupt"],
    async run(scene) {
      const { id } = await scene.session()
      await scene.api.send(id, await scene.prompt(scene.can("steerable") ? "steerable" : "longText"))
      await scene.api.until(id, "item.delta")
      const { messageId } = await scene.api.send(id, await scene.prompt("say", "steered"), { delivery: "steer" })
      const taken = await scene.api.until(
        id,
        "message.updated",
        ({ data }) => data.message_id === messageId && data.state === "taken",
      )
      await settled(scene, id)
      const ended = only(await scene.api.events(id), "turn.ended").find(({ data }) =>
        data.message_ids.includes(messageId),
      )
      same(ended?.data.turn_id, taken.data.turn_id)
    },
  },
]

/** What took the message may be a turn that ends by itself. */
async function settled(scene: Scene, id: string): Promise<void> {
  const events = await scene.api.events(id)
  const open = only(events, "turn.started").at(-1)?.data.turn_id
  if (only(events, "turn.ended").some(({ data }) => data.turn_id === open)) return
  await refusal(scene.api.cancel(id))
  await scene.api.until(id, "turn.ended", ({ data }) => data.turn_id === open)
}
