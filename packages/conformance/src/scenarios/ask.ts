import { existsSync } from "node:fs"
import { join } from "node:path"
import type { Event } from "@sandbox-agent/schema/event"
import { itemsOf, only, stopOf, textOf } from "../events.ts"
import { has, same } from "../expect.ts"
import type { Scene } from "../scene.ts"

export const decisions = (events: readonly Event[]) =>
  only(events, "permission.resolved").map(({ data }) => [data.status, data.by])

/** What a client had to decide. */
export const byClient = (events: readonly Event[]) => decisions(events).filter(([, by]) => by === "client")

/** Sends a message and waits until the agent asks. */
export async function asked(scene: Scene, id: string, message: string) {
  const { lastSequence } = await scene.api.session(id)
  const turn = scene.api.turn(id, message)
  // Whoever fails first is told; the turn must not fail a second time, unheard.
  turn.catch(() => {})
  const { data } = await scene.api.until(id, "permission.requested", () => true, lastSequence)
  same((await scene.api.session(id)).status, "waiting", "status")
  return { turn, permission: data }
}

export async function questioned(scene: Scene, id: string, message: string) {
  const { lastSequence } = await scene.api.session(id)
  const turn = scene.api.turn(id, message)
  turn.catch(() => {})
  const { data } = await scene.api.until(id, "question.requested", () => true, lastSequence)
  return { turn, question: data }
}

/** The model has these words in its conversation, and from no message of ours. An agent without one says what it heard. */
export async function reached(scene: Scene, id: string, turn: readonly Event[], words: string): Promise<void> {
  same(stopOf(turn), "end_turn")
  if (!scene.can("recall")) return has(JSON.stringify(itemsOf(turn).slice(1)), words, "what the agent says")
  has(textOf(itemsOf(await scene.turn(id, "recall", words))), words, "what the model was told")
}

/** A command whose running can be seen. */
export const touch = (directory: string, name: string) => ({
  command: `touch ${name}`,
  done: () => existsSync(join(directory, name)),
})
