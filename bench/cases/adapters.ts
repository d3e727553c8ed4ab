import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { reply, text, words } from "@sandbox-agent/scripted-model/script"
import { always } from "@sandbox-agent/scripted-model/step"
import { type Adapted, adapted } from "../agents/adapters.ts"
import { type Driven, throughDaemon } from "../agents/daemon.ts"
import type { Case, Context } from "../case.ts"
import { rssMb } from "../measure/process.ts"
import { Series } from "../measure/series.ts"
import { memoryOf, type TreeMemory, treePids } from "../measure/tree.ts"
import { atMost, type Row } from "../row.ts"

const sessions = 5
const rounds = 3
/** After the last answer, as long as the memory of an idle daemon waits. */
const restMs = 2_000

interface Used extends TreeMemory {
  /** Shared pages counted for each process. */
  rss: number
}

/** What all sessions have started, the daemon itself left out, after one turn in each. */
async function used({ ours }: Context, agent: Driven, modelUrl: string): Promise<Used> {
  const arm = await throughDaemon(ours, agent, modelUrl)
  try {
    for (let i = 0; i < sessions; i++) await arm.answer(`session-${i}`)
    await Bun.sleep(restMs)
    const started = treePids(arm.pids()).filter((pid) => pid !== arm.host)
    const rss = started.map(rssMb).reduce((all, one) => all + one, 0)
    return { ...memoryOf(started), rss }
  } finally {
    await arm.stop()
  }
}

async function compare(context: Context, { native, adapter }: Adapted, modelUrl: string): Promise<Row[]> {
  const [memory, rss] = [new Series(), new Series()]
  let note = ""
  // The first round only warms the page cache.
  for (let round = 0; round <= rounds; round++) {
    const here = await used(context, native, modelUrl)
    const there = await used(context, adapter, modelUrl)
    note = `${here.kind} of ${here.processes} processes beside ${there.processes}, ${sessions} sessions`
    if (round === 0) continue
    memory.add("ours", here.mb / sessions)
    memory.add("floor", there.mb / sessions)
    rss.add("ours", here.rss / sessions)
    rss.add("floor", there.rss / sessions)
  }
  const name = `${native.name}, memory per session beside its adapter`
  const row = { ...beside(name, memory), note: `floor: ${adapter.name} ${adapter.version}; ${note}` }
  return [
    { ...row, bar: atMost(row.ours, row.floor, "MB", "adapter") },
    saved("    less than with the adapter", memory),
    beside("    RSS", rss),
    saved("    less than with the adapter", rss),
  ]
}

function beside(name: string, figures: Series) {
  const [ours = Number.NaN, floor = Number.NaN] = [figures.median("ours"), figures.median("floor")]
  return { name, unit: "MB", ours, floor }
}

function saved(name: string, figures: Series): Row {
  const { ours, floor } = beside(name, figures)
  return { name, unit: "MB", ours: floor - ours }
}

/** Native drivers beside the official adapters, each with the same agent: what the adapter's own process costs. */
export const adapters: Case = {
  name: "adapters",
  needs: () => {
    const missing = adapted.flatMap(({ native, adapter }) => [
      ...(native.isHere() ? [] : [`${native.title} (${native.size})`]),
      ...(adapter.isHere() ? [] : [`${adapter.name} ${adapter.version}`]),
    ])
    return missing.length === 0 ? undefined : `${missing.join(", ")} not in the cache`
  },
  run: async (context) => {
    await using model = await startScriptedModel({ script: [always(reply(text(words("one two three four five"))))] })
    const rows: Row[] = []
    for (const one of adapted) rows.push(...(await compare(context, one, model.url)))
    return rows
  },
}
