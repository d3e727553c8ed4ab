import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { reply, text, words } from "@sandbox-agent/scripted-model/script"
import { always } from "@sandbox-agent/scripted-model/step"
import type { BenchAgent } from "../agents/agent.ts"
import type { Arm } from "../agents/arm.ts"
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
const singles = 5
/** Sessions after the first of an arm. */
const nexts = 3
const memoryBar = 1.05
const timeBar = 1.15
/** After the last answer: both the agent and the daemon give memory back when they are at rest. */
const restMs = 5_000

const names = {
  cold: "the first session: create → first delta",
  ready: "    until it takes a message",
  next: "the next session: create → first delta",
  many: `${sessions} at once: create → first delta`,
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

/** Where sessions share a server the floor shares it, too; ten servers show what that saves. */
async function apartMemory(agent: BenchAgent, modelUrl: string): Promise<TreeMemory | undefined> {
  if (agent.apart === undefined) return undefined
  await using arm = disposable(await agent.apart(modelUrl))
  for (let i = 0; i < sessions; i++) await arm.answer(`session-${i}`)
  await Bun.sleep(restMs)
  return treeMemory(arm.pids())
}

/** The same sessions as those of the arms, run in the other way. */
async function besideFigures(agent: BenchAgent, modelUrl: string): Promise<Beside | undefined> {
  const { beside } = agent
  if (beside === undefined) return undefined
  const firsts: number[] = []
  for (let round = 0; round < rounds; round++) {
    await waitForQuiet(2_000)
    await using arm = disposable(await beside.arm(modelUrl))
    for (let session = 0; session <= nexts; session++) {
      const { first } = await arm.answer(`session-${session}`)
      if (session > 0) firsts.push(first)
    }
  }
  await using arm = disposable(await beside.arm(modelUrl))
  await Promise.all(Array.from({ length: sessions }, (_, i) => arm.answer(`session-${i}`)))
  await Bun.sleep(restMs)
  return { title: beside.title, first: median(firsts), memory: treeMemory(arm.pids()) }
}

interface Beside {
  title: string
  first: number
  memory: TreeMemory
}

/** A real agent with a scripted model: what the daemon adds to its start and its memory. */
export const agentCase = (agent: BenchAgent): Case => ({
  name: agent.name,
  needs: () => (agent.isHere() ? undefined : `${agent.title} ${agent.version} is not in the cache (${agent.size})`),
  run: async (context) => {
    await using model = await startScriptedModel({ script: [always(reply(text(words("one two three four five"))))] })
    const arms: Record<Name, () => Promise<Arm>> = {
      floor: () => agent.alone(model.url),
      ours: () => throughDaemon(context.ours, agent, model.url),
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
    const rows = report(agent, figures, used, await apartMemory(agent, model.url))
    return [...rows, ...besideRows(figures, await besideFigures(agent, model.url))]
  },
})

function report(agent: BenchAgent, figures: Figures, used: Map<Name, TreeMemory>, apart?: TreeMemory): Row[] {
  const row = (key: keyof typeof names, unit: string, bar?: number): Row => {
    const [ours, floor] = [figures[key].median("ours"), figures[key].median("floor")]
    const inner = names[key].startsWith(" ")
    const line = { name: inner ? names[key] : `${agent.name}, ${names[key]}`, unit, ours, floor }
    if (bar === undefined || ours === undefined || floor === undefined) return line
    return { ...line, bar: atMost(ours, floor * bar, unit, `${bar} × alone`) }
  }
  const counted = [...used].map(([name, { kind, processes }]) => `${name}: ${kind} of ${processes} processes`)
  const memory = row("memory", "MB", apart === undefined ? memoryBar : undefined)
  const rows = [
    { ...row("cold", "ms", timeBar), note: `floor: ${agent.title} ${agent.version} alone` },
    row("next", "ms", timeBar),
    row("ready", "ms"),
    row("many", "ms", timeBar),
    row("last", "ms"),
    { ...memory, note: counted.join("; ") },
    row("host", "MB"),
  ]
  if (apart !== undefined && memory.ours !== undefined) {
    const each = apart.mb / sessions
    const bar = atMost(memory.ours, each * memoryBar, "MB", `${memoryBar} × alone`)
    const note = `floor: ${sessions} sessions, each with a server of its own; ${apart.kind} of ${apart.processes} processes`
    rows.push({ name: "    beside servers that are not shared", unit: "MB", ours: memory.ours, floor: each, bar, note })
  }
  return rows
}

function besideRows(figures: Figures, beside: Beside | undefined): Row[] {
  if (beside === undefined) return []
  const row = (key: "next" | "memory", unit: string, name: string, floor: number): Row => {
    const ours = figures[key].median("ours")
    const bar = ours === undefined ? {} : { bar: atMost(ours, floor, unit, beside.title) }
    return { name: `    beside ${beside.title}: ${name}`, unit, ours, floor, ...bar }
  }
  return [
    row("next", "ms", "create → first delta", beside.first),
    row("memory", "MB", "memory, per session", beside.memory.mb / sessions),
  ]
}

const emptyFigures = (): Figures => Object.fromEntries(Object.keys(names).map((key) => [key, new Series()])) as Figures

const disposable = (arm: Arm): Arm & AsyncDisposable => ({ ...arm, [Symbol.asyncDispose]: arm.stop })
