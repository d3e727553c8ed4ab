import { setImmediate } from "node:timers/promises"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Event } from "@sandbox-agent/schema/event"
import { rounds } from "@sandbox-agent/test-agents/extent"
import fc from "fast-check"
import { test } from "vitest"
import { Fold } from "../../src/core/fold.ts"
import { checkLog } from "./checks.ts"
import { describeScript, type Script, script } from "./script.ts"
import { type Stage, setStage } from "./stage.ts"
import { failingDriver, playClient, playSink } from "./step-player.ts"

/** The deadlines of the core, too short to wait for: a driver that never answers is as usual here as any other. */
const deadlines = { openMs: 20, takenMs: 20, answerMs: 20, configureMs: 20, interruptMs: 20, closeMs: 20 }

/** Plays a script to its end and says what is wrong with the log it left. */
async function play(given: Script, end: "terminate" | "stop"): Promise<string[]> {
  const bad: string[] = []
  await using stage = await setStage({ behaviour: failingDriver(given.moods), deadlines })
  const { session, core } = stage
  session.log.readers++ // a reader: the log of a deleted session stays until it has been read
  const commands: Promise<unknown>[] = []
  for (const step of given.steps) {
    if ("tick" in step) for (let i = 0; i < step.tick; i++) await setImmediate()
    else if ("sink" in step) playSink(stage, step, bad)
    else commands.push(playClient(stage, step).catch((error: unknown) => typed(error, step.client, bad)))
  }
  await Promise.all(commands)
  if (end === "stop") await core.stop()
  else await playClient(stage, { client: "terminate" }).catch((error: unknown) => typed(error, "terminate", bad))
  const events = stage.events()
  bad.push(...checkLog(events))
  if (!session.deleted) bad.push(...compareRows(stage, events), ...compareStatus(stage, events))
  if (session.turn || session.sending || session.items.size > 0 || session.requests.size > 0)
    bad.push("something is open in memory")
  session.log.readers--
  return bad
}

function typed(error: unknown, what: string, bad: string[]): void {
  if (!SandboxAgentError.is(error)) bad.push(`${what} failed with ${error instanceof Error ? error.stack : error}`)
}

/** State rows are a cache of the log: built again from it they are the same. */
function compareRows({ session, core }: Stage, events: Event[]): string[] {
  const fold = new Fold()
  for (const event of events) fold.apply(event)
  const { rows } = core.context
  const { uid } = session.record
  const items = rows.items(uid).map((row) => ({
    startedSeq: row.startedSeq,
    completedSeq: row.completedSeq ?? undefined,
    item: JSON.parse(row.json),
  }))
  const turns = rows.turns(uid).map(({ id, startedSeq, endedSeq, doc }) => ({ id, startedSeq, endedSeq, ...doc }))
  const folded = [...fold.turns].map(([id, { startedSeq, endedSeq, started, ended }]) => {
    const { message_ids, stop_reason } = ended ?? { message_ids: [], stop_reason: undefined }
    return { id, startedSeq, endedSeq, origin: started.origin, message_ids, stop_reason }
  })
  const requests = rows.requests(uid, false).map(({ doc }) => doc)
  const byId = [...fold.requests].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, doc]) => doc)
  const messages = [...fold.messages].map(([id, { state }]) => [id, state])
  const states = messages.map(([id = ""]) => [id, rows.message(uid, id)?.state])
  const pairs = {
    items: [items, [...fold.items.values()]],
    turns: [turns, folded],
    requests: [requests, byId],
    messages: [states, messages],
  }
  return Object.entries(pairs).flatMap(([name, [row, log]]) => {
    if (Bun.deepEquals(row, log)) return []
    return [
      `rows of ${name} differ from the log:\n    ${JSON.stringify(row).slice(0, 400)}\n    ${JSON.stringify(log).slice(0, 400)}`,
    ]
  })
}

function compareStatus({ session, core }: Stage, events: Event[]): string[] {
  const last = events.findLast((event) => event.type === "session.ended" || event.type === "session.started")
  const { status } = session.record
  const bad = (status === "ended") === (last?.type === "session.ended") ? [] : [`status ${status} after ${last?.type}`]
  if (status !== "ended" && status !== "idle" && status !== "starting") bad.push(`status ${status} at the end`)
  const row = core.context.rows.sessionById("one")
  if (row?.lastSeq !== events.at(-1)?.sequence)
    bad.push(`the row says ${row?.lastSeq}, the log ${events.at(-1)?.sequence}`)
  if (row?.record.status !== status) bad.push(`the row says ${row?.record.status}, memory ${status}`)
  return bad
}

test.each(["terminate", "stop"] as const)(
  "whatever a driver and its clients do, the log keeps its promises until %s",
  async (end) => {
    await fc.assert(
      fc.asyncProperty(script, async (given) => {
        const bad = await play(given, end)
        if (bad.length > 0) throw new Error(`${bad.join("\n")}\nScript:\n${describeScript(given)}`)
      }),
      { numRuns: Number(process.env.INVARIANT_RUNS ?? rounds(60, 1_000)) },
    )
  },
  rounds(60_000, 600_000),
)
