import { setImmediate } from "node:timers/promises"
import type { Event } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"
import fc from "fast-check"
import { test } from "vitest"
import { Fold } from "../../../src/core/fold.ts"
import { callIdOf } from "../../../src/faces/acp/projection/head.ts"
import { replay } from "../../../src/faces/acp/projection/replay.ts"
import { describeScript, type Script, script } from "../../core/script.ts"
import { setStage } from "../../core/stage.ts"
import { failingDriver, playClient, playSink } from "../../core/step-player.ts"
import { Editor, unlike } from "./editor.ts"
import { clients, foldLog, projectLog } from "./log-projection.ts"
import { wrongEnvelopes } from "./protocol-schema.ts"

const PATIENCE_MS = 300_000
const deadlines = { openMs: 20, takenMs: 20, answerMs: 20, configureMs: 20, interruptMs: 20, closeMs: 20 }

/** The log that a real core leaves of whatever an agent and its clients do. */
async function logOf(given: Script): Promise<{ events: Event[]; id: string }> {
  await using stage = await setStage({ behaviour: failingDriver(given.moods), deadlines })
  const { session } = stage
  session.log.readers++ // the log of a deleted session stays until it has been read
  const refused: string[] = []
  const played: Promise<unknown>[] = []
  for (const step of given.steps) {
    if ("tick" in step) for (let i = 0; i < step.tick; i++) await setImmediate()
    else if ("sink" in step) playSink(stage, step, refused)
    // What the core refuses is its own tests' matter; here only the log counts.
    else played.push(playClient(stage, step).catch((error: unknown) => refused.push(String(error))))
  }
  await Promise.all(played)
  const events = stage.events()
  session.log.readers--
  return { events, id: session.record.id }
}

/** A position in the middle is as good as the end: open items are shown as far as they have come. */
function wrongsOf(events: readonly Event[], id: string): string[] {
  const items = foldLog(events)
  // The driver may stream text into a part that was opened as reasoning: then only the words are sure.
  return Object.entries(clients).flatMap(([client, traits]) => {
    const live = projectLog(events, traits)
    const shown = traits.notices ? items.filter(({ kind, role }) => !isSystem(kind, role)) : items
    const done = shown.filter(({ status, kind, role }) => status !== "in_progress" || isStreamed(kind, role))
    const loaded = replay(items, traits, id)
    const kept = items.filter(({ metadata, kind }) => kind !== "message" || metadata?.reason !== "retried")
    const wrong = [
      ...wrongEnvelopes(live, id),
      ...unlike(new Editor().show(live), done, false),
      ...wrongEnvelopes(loaded, id).map((each) => `loaded: ${each}`),
      ...unlike(new Editor().show(loaded), kept, false).map((each) => `loaded: ${each}`),
      ...wrongOutput(events, traits.output === undefined),
    ]
    return wrong.map((each) => `${client}: ${each}`)
  })
}

const isSystem = (kind: Item["kind"], role: Item["role"]): boolean =>
  kind === "system" || (kind === "message" && role !== "user" && role !== "assistant")
const isStreamed = (kind: Item["kind"], role: Item["role"]): boolean =>
  kind === "tool_call" || (kind === "message" && role === "assistant")

/** Before each completion, what streamed of a command's output is its output so far. */
function wrongOutput(events: readonly Event[], plain: boolean): string[] {
  if (!plain) return []
  const fold = new Fold()
  const wrong: string[] = []
  const editors = new Map<string, Editor>()
  for (const event of events) {
    if (event.type === "item.started" && event.data.item.kind === "tool_result") {
      const [first] = event.data.item.content
      const empty = event.data.item.content.length === 1 && first?.type === "tool_result" && first.output === ""
      if (empty) editors.set(event.data.item.item_id, new Editor())
    }
    if (event.type === "item.completed") {
      const { item_id } = event.data.item
      const before = fold.items.get(item_id)?.item
      const [part] = before?.content ?? []
      const shown = editors.get(item_id)?.tools.get(before === undefined ? "" : callIdOf(before))?.streamed ?? ""
      if (editors.has(item_id) && part?.type === "tool_result" && part.output !== shown)
        wrong.push(
          `streamed ${JSON.stringify(shown.slice(0, 99))} instead of ${JSON.stringify(part.output.slice(0, 99))}`,
        )
    }
    fold.apply(event)
    if (event.type !== "item.delta") continue
    const item = fold.items.get(event.data.item_id)?.item
    const started = events.find((each) => each.type === "item.started" && each.data.item.item_id === item?.item_id)
    if (started !== undefined && clients.plain !== undefined)
      editors.get(event.data.item_id)?.show(projectLog([started, event], clients.plain))
  }
  return wrong
}

test(
  "whatever the core logs, every client is sent valid ACP that adds up to the transcript, from any position",
  () =>
    fc.assert(
      fc.asyncProperty(script, fc.double({ min: 0, max: 1, noNaN: true }), async (given, where) => {
        const { events, id } = await logOf(given)
        const cut = events.slice(0, Math.ceil(events.length * where))
        const wrong = [...wrongsOf(events, id), ...wrongsOf(cut, id).map((each) => `at ${cut.length}: ${each}`)]
        if (wrong.length > 0) throw new Error(`${[...new Set(wrong)].slice(0, 8).join("\n")}\n${describeScript(given)}`)
      }),
      { numRuns: Number(process.env.INVARIANT_RUNS ?? 100) },
    ),
  PATIENCE_MS,
)
