import type { EventData } from "@sandbox-agent/schema/event"
import { itemsOf, only, partsOf, textOf } from "../events.ts"
import { has, holds, same } from "../expect.ts"
import { killAgent } from "../kill-agent.ts"
import type { Scenario } from "../scenario.ts"
import type { Scene } from "../scene.ts"

const says = async (scene: Scene, id: string, text: string): Promise<void> =>
  same(textOf(itemsOf(await scene.turn(id, "say", text))), text)

/** The model of the next message is told this, however the agent came to know it. */
async function recalls(scene: Scene, id: string, text: string): Promise<void> {
  if (scene.can("recall")) has(textOf(itemsOf(await scene.turn(id, "recall", text))), text, "the memory")
  else await says(scene, id, "after")
}

/** Each time the agent began anew and was told of the session. */
export const rebuiltIn = async (scene: Scene, id: string): Promise<EventData<"session.updated">[]> =>
  only(await scene.api.events(id), "session.updated").flatMap(({ data }) => (data.context === "rebuilt" ? [data] : []))

/** The native session it began anew in: some tell its name only with their first turn. */
async function nativeSince(scene: Scene, id: string): Promise<string | undefined> {
  const updates = only(await scene.api.events(id), "session.updated").map(({ data }) => data)
  const rebuilt = updates.findLastIndex(({ context }) => context === "rebuilt")
  return updates.slice(rebuilt).findLast(({ native_session_id }) => native_session_id)?.native_session_id
}

/** The brief of a session is not a message of anybody. */
async function expectNoFurtherMessage(scene: Scene, id: string): Promise<void> {
  const { items } = await scene.api.items(id)
  const users = items.filter(({ role }) => role === "user")
  const said = partsOf(users, "text").map(({ text }) => text)
  holds(!said.some((text) => text.includes("session-brief")), "the brief stands in the transcript")
}

export const memory: readonly Scenario[] = [
  {
    name: "what the agent has lost it is told, and the session goes on",
    proves: ["memory.gone"],
    needs: ["textMessages"],
    means: ["restart", "memory"],
    async run(scene) {
      const { id } = await scene.session()
      await says(scene, id, "before")
      const { nativeSessionId: lost } = await scene.api.session(id)
      await scene.forget()
      await recalls(scene, id, "before")
      const [rebuilt, ...more] = await rebuiltIn(scene, id)
      const { nativeSessionId: now } = await scene.api.session(id)
      same([typeof rebuilt?.reason, more.length], ["string", 0], "the rebuilt context")
      same(await nativeSince(scene, id), now, "the native session that was told")
      holds(now !== lost, "the native session that was lost is still there")
      // It remembers by itself from here on.
      await recalls(scene, id, "before")
      same((await rebuiltIn(scene, id)).length, 1, "times the context was rebuilt")
      await expectNoFurtherMessage(scene, id)
    },
  },
  {
    name: "an agent that is killed in its first answer still knows what it was asked",
    proves: ["memory.killed"],
    needs: ["textMessages", "streamingDeltas"],
    alone: true,
    async run(scene) {
      const { id } = await scene.session()
      const message = await scene.prompt("longText")
      await scene.api.send(id, message)
      await scene.api.until(id, "item.delta")
      same((await killAgent(scene, id, 0)).ended.data.stop_reason, "error")
      await recalls(scene, id, message)
      await expectNoFurtherMessage(scene, id)
    },
  },
  {
    name: "an ended session goes on with what was said, whatever its agent can resume",
    proves: ["memory.ended"],
    needs: ["textMessages"],
    async run(scene) {
      const { id } = await scene.session()
      await says(scene, id, "before")
      await scene.api.terminate(id)
      same((await scene.api.resume(id)).healthy, true, "healthy")
      await recalls(scene, id, "before")
      await expectNoFurtherMessage(scene, id)
    },
  },
  {
    name: "a fork to a given agent begins with a brief, at any finished turn",
    proves: ["memory.fork"],
    needs: ["textMessages"],
    async run(scene) {
      const { id } = await scene.session()
      await says(scene, id, "shared")
      const { lastSequence } = await scene.api.session(id)
      await says(scene, id, "later")
      const fork = `${id}-brief`
      const { healthy } = await scene.api.fork(id, fork, { agent: scene.agent, atSequence: lastSequence })
      scene.keep(fork)
      same(healthy, true, "healthy")
      const { nativeSessionId } = await scene.api.session(fork)
      same(
        (await rebuiltIn(scene, fork)).map(({ native_session_id }) => native_session_id),
        [nativeSessionId],
      )
      await recalls(scene, fork, "shared")
      const words = textOf((await scene.api.items(fork)).items)
      holds(
        words.startsWith("shared") && !words.includes("later"),
        "the items of the fork are not those up to its turn",
      )
      await expectNoFurtherMessage(scene, fork)
    },
  },
]
