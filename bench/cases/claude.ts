import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { reply, text, words } from "@sandbox-agent/scripted-model/script"
import { always } from "@sandbox-agent/scripted-model/step"
import { alone } from "../agents/alone.ts"
import type { Arm } from "../agents/arm.ts"
import { claudeIsHere, claudeVersion } from "../agents/claude.ts"
import { throughDaemon } from "../agents/daemon.ts"
import type { Case } from "../case.ts"
import { waitForQuiet } from "../measure/quiet.ts"
import { Series } from "../measure/series.ts"
import { median } from "../measure/stats.ts"
import { processMemory, type TreeMemory, treeMemory } from "../measure/tree.ts"
import { atMost, type Row } from "../row.ts"

const sessions = 10
const rounds = 3
/** One session at a time says what the daemon adds where nothing else competes for the processors. */
const singles = 4
/** Sessions after the first of an arm. */
const nexts = 3
const memoryBar = 1.05
const timeBar = 1.15
/** After the last answer, as long as the memory of an idle daemon waits. */
const restMs = 2_000

const names = {
  cold: "claude, the first session: create → first delta",
  ready: "    until it takes a message",
  next: "claude, the next session: create → first delta",
  many: `claude, ${sessions} at once: create → first delta`,
  last: "    of the last session",
  memory: "    memory of all processes, per session",
  host: "    of it the daemon",
}

type Figures = Record<keyof typeof names, Series>
type Name = "ours" | "floor"

/** One session at a time, the arms by turns: whatever else the machine does falls on both. */
async function fewSessions(arms: Record<Name, Arm>, round: number, figures: Figures): Promise<void> {
  for (let session = 0; session <= nexts; session++)
    await inTurn(round + session, async (name) => {
      const { ready, first } = await arms[name].answer(`session-${session}`)
      if (session === 0) return figures.cold.add(name, first)
      figures.ready.add(name, ready)
      figures.next.add(name, first)
    })
}

async function manySessions(arm: Arm, name: Name, figures: Figures): Promise<TreeMemory> {
  const answered = await Promise.all(Array.from({ length: sessions }, (_, i) => arm.answer(`session-${i}`)))
  const firsts = answered.map(({ first }) => first)
  figures.many.add(name, median(firsts))
  figures.last.add(name, Math.max(...firsts))
  await Bun.sleep(restMs)
  const all = treeMemory(arm.pids())
  figures.memory.add(name, all.mb / sessions)
  if (arm.host !== undefined) figures.host.add(name, processMemory(arm.host).mb / sessions)
  return all
}

/** Both arms, each in turn first, so that what one leaves behind falls on both. */
async function inTurn(round: number, work: (name: Name) => Promise<void>): Promise<void> {
  for (const name of round % 2 === 0 ? (["floor", "ours"] as const) : (["ours", "floor"] as const)) {
    await waitForQuiet(2_000)
    await work(name)
  }
}

export const claude: Case = {
  name: "claude",
  needs: () => (claudeIsHere() ? undefined : `Claude Code ${claudeVersion} is not in the cache (130 MB)`),
  run: async (context) => {
    await using model = await startScriptedModel({ script: [always(reply(text(words("one two three four five"))))] })
    const arms: Record<Name, () => Promise<Arm>> = {
      floor: () => alone(model.url),
      ours: () => throughDaemon(context.ours, model.url),
    }
    const figures = emptyFigures()
    const used = new Map<Name, TreeMemory>()
    // The first round only warms the page cache.
    for (let round = 0; round <= singles; round++) {
      await using floor = disposable(await arms.floor())
      await using ours = disposable(await arms.ours())
      await fewSessions({ floor, ours }, round, round === 0 ? emptyFigures() : figures)
    }
    for (let round = 0; round < rounds; round++)
      await inTurn(round, async (name) => {
        await using arm = disposable(await arms[name]())
        used.set(name, await manySessions(arm, name, figures))
      })
    const row = (key: keyof typeof names, unit: string, bar?: number): Row => {
      const [ours, floor] = [figures[key].median("ours"), figures[key].median("floor")]
      const line = { name: names[key], unit, ours, floor }
      if (bar === undefined || ours === undefined || floor === undefined) return line
      return { ...line, bar: atMost(ours, floor * bar, unit, `${bar} × alone`) }
    }
    const counted = [...used].map(([name, { kind, processes }]) => `${name}: ${kind} of ${processes} processes`)
    return [
      { ...row("cold", "ms", timeBar), note: `floor: Claude Code ${claudeVersion} alone, driven over stdio` },
      row("next", "ms", timeBar),
      row("ready", "ms"),
      row("many", "ms", timeBar),
      row("last", "ms"),
      { ...row("memory", "MB", memoryBar), note: counted.join("; ") },
      row("host", "MB"),
    ]
  },
}

const emptyFigures = (): Figures => Object.fromEntries(Object.keys(names).map((key) => [key, new Series()])) as Figures

const disposable = (arm: Arm): Arm & AsyncDisposable => ({ ...arm, [Symbol.asyncDispose]: arm.stop })
