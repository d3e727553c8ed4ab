import { itemsOf, only, textOf } from "../events.ts"
import { has, holds, same } from "../expect.ts"
import { killAgent } from "../kill-agent.ts"
import { refusal } from "../refused.ts"
import type { Scenario } from "../scenario.ts"
import type { Scene } from "../scene.ts"
import { rebuiltIn } from "./memory.ts"

const says = async (scene: Scene, id: string, text: string): Promise<void> =>
  same(textOf(itemsOf(await scene.turn(id, "say", text))), text)

/** The same conversation still, in the agent's own memory too. */
async function expectStillWorks(scene: Scene, id: string, nativeSessionId: string | undefined): Promise<void> {
  await says(scene, id, "after")
  same((await scene.api.session(id)).nativeSessionId, nativeSessionId, "native session")
  await remembers(scene, id)
}

/** After a kill: one that can resume may all the same have been killed before it wrote anything. */
async function goesOnKilled(scene: Scene, id: string, nativeSessionId: string | undefined): Promise<void> {
  await says(scene, id, "after")
  const rebuilt = (await rebuiltIn(scene, id)).length > 0
  if (rebuilt) holds((await scene.info()).capabilities.resume, "the agent cannot resume")
  else same((await scene.api.session(id)).nativeSessionId, nativeSessionId, "native session")
  await remembers(scene, id)
}

async function remembers(scene: Scene, id: string): Promise<void> {
  if (scene.can("recall")) has(textOf(itemsOf(await scene.turn(id, "recall", "before"))), "before", "the memory")
}

/** A session with a turn behind it and one that runs. */
async function busy(scene: Scene) {
  const { id } = await scene.session()
  await says(scene, id, "before")
  const { nativeSessionId, lastSequence } = await scene.api.session(id)
  await scene.api.send(id, await scene.prompt("longText"))
  await scene.api.until(id, "item.delta", () => true, lastSequence)
  return { id, nativeSessionId, lastSequence }
}

export const life: readonly Scenario[] = [
  {
    name: "after kill -9 of the agent the turn ends, and the next message resumes it",
    proves: ["resume.agent"],
    needs: ["textMessages"],
    alone: true,
    async run(scene) {
      const { id, nativeSessionId, lastSequence } = await busy(scene)
      const { ended, killed } = await killAgent(scene, id, lastSequence)
      same([ended.data.stop_reason, ended.data.error?.signal], ["error", "SIGKILL"])
      await goesOnKilled(scene, id, nativeSessionId)
      same((await scene.api.session(id)).agentProcess, "live")
      holds(!killed.includes((await scene.info()).process.pid ?? Number.NaN), "the same process as before")
    },
  },
  {
    name: "after kill -9 of the daemon the log is whole, the turn ended, and the session goes on",
    proves: ["resume.daemon"],
    needs: ["textMessages"],
    means: ["restart"],
    async run(scene) {
      const { id, nativeSessionId } = await busy(scene)
      const seen = await scene.api.events(id)
      await scene.restart()
      const events = await scene.api.events(id)
      same(events.slice(0, seen.length), seen, "the log before")
      same(only(events, "turn.ended").at(-1)?.data.error?.code, "daemon_restarted")
      same(only(events, "session.ended"), [])
      await goesOnKilled(scene, id, nativeSessionId)
    },
  },
  {
    name: "a terminated session is brought back, and its log goes on",
    proves: ["resume.terminated"],
    needs: ["sessionLifecycle"],
    async run(scene) {
      const { id } = await scene.session()
      await says(scene, id, "before")
      const { nativeSessionId } = await scene.api.session(id)
      await scene.api.terminate(id)
      same(await refusal(scene.api.send(id, "hi")), "conflict", "a message to an ended session")
      same((await scene.api.resume(id)).healthy, true, "healthy")
      await expectStillWorks(scene, id, nativeSessionId)
      const course = (await scene.api.events(id)).map(({ type }) => type)
      same(
        course.filter((type) => type === "session.started" || type === "session.ended"),
        ["session.started", "session.ended", "session.started"],
      )
    },
  },
  {
    name: "a fork stands alone: it has the items so far, and goes its own way",
    proves: ["fork.head"],
    needs: ["textMessages"],
    async run(scene) {
      const { id } = await scene.session()
      await says(scene, id, "shared")
      const fork = `${id}-fork`
      const { healthy } = await scene.api.fork(id, fork)
      scene.keep(fork)
      same(healthy, true, "healthy")
      if (scene.can("recall")) has(textOf(itemsOf(await scene.turn(fork, "recall", "shared"))), "shared", "the memory")
      await says(scene, fork, "of the fork")
      await says(scene, id, "of the first")
      holds(textOf((await scene.api.items(fork)).items).endsWith("of the fork"), "the fork did not go its own way")
      has(textOf((await scene.api.items(fork)).items), "shared", "the items of the fork")
      same(textOf((await scene.api.items(id)).items), "sharedof the first")
      const [one, other] = await Promise.all([scene.api.session(id), scene.api.session(fork)])
      holds(one.nativeSessionId !== other.nativeSessionId, "both have the same native session")
    },
  },
  {
    name: "two sessions share one process, and the end of one leaves the other",
    proves: ["process.shared"],
    alone: true,
    async run(scene) {
      const one = await scene.session()
      // Those of sessions before it are on their way out, and would be taken for the second's.
      await settled(scene)
      const before = await processes(scene)
      // Some share only what works in one directory.
      const other = await scene.session({ directory: one.directory })
      await Promise.all([says(scene, one.id, "one"), says(scene, other.id, "other")])
      // Those of sessions before them may end meanwhile.
      const after = await processes(scene)
      holds(after <= before, `there were ${before} processes, with the second session ${after}`)
      await scene.api.terminate(one.id)
      await says(scene, other.id, "still here")
    },
  },
]

/** No event tells that an agent has ended. */
async function settled(scene: Scene): Promise<void> {
  while ((await processes(scene)) > 1) await Bun.sleep(LOOK_MS)
}

const LOOK_MS = 50

async function processes(scene: Scene): Promise<number> {
  return Number(/^sandbox_agent_agent_processes (\d+)$/m.exec(await scene.api.metrics())?.[1])
}
