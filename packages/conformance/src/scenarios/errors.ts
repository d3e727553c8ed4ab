import { itemsOf, only, partsOf, stopOf, textOf } from "../events.ts"
import { has, holds, same } from "../expect.ts"
import { refusal } from "../refused.ts"
import type { Scenario } from "../scenario.ts"
import type { Scene } from "../scene.ts"

/** The turn ended with an error that says why, and the session takes the next message. */
async function failsAndGoesOn(scene: Scene, id: string, message: string): Promise<string> {
  // An agent that cannot even take the message fails it: then its stream ends before its turn does.
  await refusal(scene.api.turn(id, message))
  const ended = only(await scene.api.events(id), "turn.ended").at(-1)?.data
  same(ended?.stop_reason, "error")
  holds(ended?.error?.message, "an error without a message")
  same(only(await scene.api.events(id), "session.ended"), [], "session.ended")
  return ended.error.message
}

const expectStillWorks = async (scene: Scene, id: string): Promise<void> =>
  same(textOf(itemsOf(await scene.turn(id, "say", "and on"))), "and on")

export const errors: readonly Scenario[] = [
  {
    name: "an error of the agent ends the turn, not the session",
    proves: ["error.turn"],
    async run(scene) {
      const { id } = await scene.session()
      has(await failsAndGoesOn(scene, id, await scene.prompt("fail", "out of luck")), "out of luck", "the error")
      await expectStillWorks(scene, id)
    },
  },
  {
    name: "a key that the model refuses ends the turn, not the session",
    proves: ["error.unauthorized"],
    means: ["faults"],
    async run(scene) {
      const { id } = await scene.session()
      await failsAndGoesOn(scene, id, await scene.prompt("unauthorized"))
      holds(only(await scene.api.events(id), "error").length > 0, "no error event")
      await expectStillWorks(scene, id)
    },
  },
  {
    name: "a model without time is asked again, and that is told",
    proves: ["error.retried"],
    means: ["faults", "retries"],
    async run(scene) {
      const { id } = await scene.session()
      const events = await scene.turn(id, "overloaded", "now I have time")
      same([stopOf(events), textOf(itemsOf(events))], ["end_turn", "now I have time"])
      holds(partsOf(itemsOf(events), "status").length > 0, "the retry was not told")
    },
  },
  {
    name: "an answer that is cut is asked for again",
    proves: ["error.cut"],
    means: ["faults", "retries"],
    async run(scene) {
      const { id } = await scene.session()
      const events = await scene.turn(id, "cut", "the whole answer")
      const whole = itemsOf(events).filter(({ status, role }) => status === "completed" && role === "assistant")
      same([stopOf(events), textOf(whole)], ["end_turn", "the whole answer"])
    },
  },
  {
    name: "a model that is down ends the turn, not the session",
    proves: ["error.unreachable"],
    means: ["faults"],
    long: true,
    // Qwen Code tries for 80 seconds by itself, on a machine that does nothing else.
    times: 2,
    async run(scene) {
      const { id } = await scene.session(scene.subject.deadModel)
      await failsAndGoesOn(scene, id, await scene.prompt("say", "never said"))
      same((await scene.api.session(id)).status, "idle")
    },
  },
]
