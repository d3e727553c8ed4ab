import { itemsOf, only, partsOf, stopOf, textOf } from "../events.ts"
import { has, holds, same } from "../expect.ts"
import type { Scenario } from "../scenario.ts"

export const talk: readonly Scenario[] = [
  {
    name: "text is answered with deltas that add up",
    proves: ["text.answer", "text.deltas"],
    needs: ["itemStarted"],
    async run(scene) {
      const { id } = await scene.session()
      const events = await scene.turn(id, "say", "The quick brown fox")
      same(textOf(itemsOf(events)), "The quick brown fox")
      const least = scene.subject.lacks?.partialText === undefined ? 2 : 1
      holds(only(events, "item.delta").length >= least, `fewer than ${least} deltas`)
      const [user] = itemsOf(events)
      same([user?.role, user?.message_id], ["user", only(events, "message.updated")[0]?.data.message_id])
      same(
        only(events, "turn.ended").map(({ data }) => data.stop_reason),
        ["end_turn"],
      )
    },
  },
  {
    name: "turns follow each other in one session",
    proves: ["text.turns"],
    needs: ["sessionLifecycle"],
    async run(scene) {
      const { id } = await scene.session()
      for (const text of ["first", "second", "third"]) same(textOf(itemsOf(await scene.turn(id, "say", text))), text)
      same(textOf((await scene.api.items(id)).items), "firstsecondthird")
      const { status, nativeSessionId } = await scene.api.session(id)
      same([status, typeof nativeSessionId], ["idle", "string"])
      if (scene.can("recall")) has(textOf(itemsOf(await scene.turn(id, "recall", "first"))), "first", "the memory")
    },
  },
  {
    name: "reasoning is streamed and marked as such",
    proves: ["reasoning.streamed"],
    async run(scene) {
      const { id } = await scene.session()
      const events = await scene.turn(id, "think", "Let me see")
      const thoughts = partsOf(itemsOf(events), "reasoning").map(({ text }) => text)
      has(thoughts.join(""), "Let me see", "the reasoning")
      holds(
        only(events, "item.delta").some(({ data }) => data.part.type === "reasoning"),
        "no delta of reasoning came",
      )
    },
  },
  {
    name: "usage is told as it grows, and with the turn",
    proves: ["usage.totals"],
    async run(scene) {
      const { id } = await scene.session()
      const events = await scene.turn(id, "usage")
      const total = only(events, "usage.updated").at(-1)?.data
      holds(total !== undefined && total.input_tokens > 0, "no tokens were told")
      const { input_tokens, output_tokens } = only(events, "turn.ended")[0]?.data.usage ?? {}
      same([input_tokens, output_tokens], [total.input_tokens, total.output_tokens], "usage of the turn")
      const again = only(await scene.turn(id, "usage"), "usage.updated").at(-1)?.data
      holds((again?.input_tokens ?? 0) > total.input_tokens, "the total did not grow")
    },
  },
  {
    name: "notes of the agent's own life are status items with its name",
    proves: ["status.notes"],
    async run(scene) {
      const { id } = await scene.session()
      same(stopOf(await scene.turn(id, "note")), "end_turn")
      // Some tell it only after the turn.
      await scene.api.until(id, "item.completed", ({ data: { item } }) =>
        partsOf([item], "status").some(({ label }) => label.startsWith(`${scene.agent}.`)),
      )
    },
  },
]
