import { checkLog } from "../checks.ts"
import { only } from "../events.ts"
import { same } from "../expect.ts"
import type { RequirementId } from "../requirements.ts"
import type { Scenario } from "../scenario.ts"
import type { Scene } from "../scene.ts"

/** Which requirement a complaint about a log belongs to: the first that fits, the last takes the rest. */
const kinds: readonly (readonly [RequirementId, RegExp])[] = [
  ["log.fold", / folds to /],
  ["log.results", /has no result/],
  ["log.requests", /request |was not open|requested twice|resolved without|open requests|which does not run/],
  ["log.items", /^#\d+ item\.|\bitem \S+ (\(|is |was )/],
  ["log.messages", /message/],
  ["log.turns", /turn/],
  ["log.envelope", /./],
]

async function violations(scene: Scene, id: RequirementId): Promise<string[]> {
  const logs = await scene.logs()
  return [...logs].flatMap(([session, events]) =>
    checkLog(events)
      .filter((text) => kinds.find(([, pattern]) => pattern.test(text))?.[0] === id)
      .map((text) => `${session}: ${text}`),
  )
}

const sound = ([id]: readonly [RequirementId, RegExp]): Scenario => ({
  name: `every log of the run is sound: ${id.replace("log.", "")}`,
  proves: [id],
  run: async (scene) => same((await violations(scene, id)).slice(0, 5), []),
})

/** Run at the end, over the logs of all scenarios before them. */
export const logs: readonly Scenario[] = [
  ...kinds.map(sound),
  {
    name: "no session ended before it was told to",
    proves: ["log.ended"],
    async run(scene) {
      const ends = [...(await scene.logs()).values()].flatMap((events) => only(events, "session.ended"))
      same(
        ends.filter(({ data }) => data.reason !== "terminated").map(({ session_id, data }) => [session_id, data]),
        [],
      )
    },
  },
  {
    name: "nothing was unparsed, and the driver caused no fault",
    proves: ["log.unparsed"],
    async run(scene) {
      const unparsed = [...(await scene.logs()).values()].flatMap((events) => only(events, "agent.unparsed"))
      same(
        unparsed.map(({ session_id, data }) => [session_id, data.error]),
        [],
      )
      same(await scene.faults(), [])
    },
  },
  {
    name: "every event of the agent has its native lines",
    proves: ["log.raw"],
    async run(scene) {
      const events = [...(await scene.logs()).values()].flat()
      const bare = events.filter(({ source, raw }) => source === "agent" && raw === undefined)
      same(
        bare.slice(0, 5).map(({ session_id, type, sequence }) => [session_id, sequence, type]),
        [],
      )
      const [first = ""] = (await scene.logs()).keys()
      const plain = await scene.api.events(first)
      same(plain.filter(({ raw }) => raw !== undefined).length, 0, "events with raw that nobody asked for")
    },
  },
]
