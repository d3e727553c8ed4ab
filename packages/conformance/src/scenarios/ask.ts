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

/** Waits for something within a turn; fails at once when the turn ends without it. */
async function beforeItEnds<T>(turn: Promise<readonly Event[]>, wanted: Promise<T>): Promise<T> {
  // Whoever fails first is told; the other must not fail a second time, unheard.
  for (const one of [turn, wanted]) one.catch(() => {})
  const ended = turn.then(() =>
    Promise.race([wanted, Promise.reject(new Error("the turn ended, and nothing was asked"))]),
  )
  return Promise.race([wanted, ended])
}

/** Sends a message and waits until the agent asks. */
export async function asked(scene: Scene, id: string, message: string) {
  const { lastSequence } = await scene.api.session(id)
  const turn = scene.api.turn(id, message)
  const wanted = scene.api.until(id, "permission.requested", () => true, lastSequence)
  const { data } = await beforeItEnds(turn, wanted)
  same((await scene.api.session(id)).status, "waiting", "status")
  return { turn, permission: data }
}

export async function questioned(scene: Scene, id: string, message: string) {
  const { lastSequence } = await scene.api.session(id)
  const turn = scene.api.turn(id, message)
  const wanted = scene.api.until(id, "question.requested", () => true, lastSequence)
  const { data } = await beforeItEnds(turn, wanted)
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
