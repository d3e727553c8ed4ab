import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { reply, text } from "@sandbox-agent/scripted-model/script"
import { always } from "@sandbox-agent/scripted-model/step"
import type { BenchAgent } from "../agents/agent.ts"
import type { Answered, Arm } from "../agents/arm.ts"
import { throughDaemon } from "../agents/daemon.ts"
import type { Case } from "../case.ts"
import { cpuMs } from "../measure/process.ts"
import { waitForQuiet } from "../measure/quiet.ts"
import { Series } from "../measure/series.ts"
import { median } from "../measure/stats.ts"
import { treePids } from "../measure/tree.ts"
import { atMost, figure, type Row } from "../row.ts"

const deltas = 20_000
const rounds = 3

const rate = ({ deltas, first, last }: Answered): number => (deltas * 1_000) / (last - first)

/** A turn of 20,000 deltas through the real agent: the daemon keeps up with it, loses none, and costs little beside it. */
export const floodCase = (agent: BenchAgent): Case => ({
  name: `${agent.name}-flood`,
  needs: () => (agent.isHere() ? undefined : `${agent.title} ${agent.version} is not in the cache (${agent.size})`),
  run: async (context) => {
    const chunks = Array.from({ length: deltas }, (_, i) => `w${i} `)
    await using model = await startScriptedModel({ script: [always(reply(text(chunks)))] })
    const rates = new Series()
    const shares: number[] = []
    let fewest = Number.POSITIVE_INFINITY
    let fewestAlone = Number.POSITIVE_INFINITY
    for (let round = 0; round < rounds; round++) {
      await waitForQuiet(3_000)
      const alone = await once(await agent.alone(model.url))
      rates.add("floor", rate(alone.answered))
      fewestAlone = Math.min(fewestAlone, alone.answered.deltas)
      await waitForQuiet(3_000)
      const ours = await once(await throughDaemon(context.ours, agent, model.url))
      rates.add("ours", rate(ours.answered))
      shares.push(ours.share)
      fewest = Math.min(fewest, ours.answered.deltas)
    }
    return rowsOf(agent, rates, shares, fewest, fewestAlone)
  },
})

async function once(arm: Arm): Promise<{ answered: Answered; share: number }> {
  try {
    const answered = await arm.answer("flood")
    const { host } = arm
    if (host === undefined) return { answered, share: 0 }
    const all = treePids([host]).reduce((sum, pid) => sum + cpuMs(pid), 0)
    return { answered, share: cpuMs(host) / all }
  } finally {
    await arm.stop()
  }
}

function rowsOf(agent: BenchAgent, rates: Series, shares: number[], fewest: number, fewestAlone: number): Row[] {
  return [
    {
      name: `${agent.name}, a turn of ${deltas} deltas`,
      unit: "ev/s",
      ours: rates.median("ours"),
      floor: rates.median("floor"),
      note: `floor: ${agent.title} alone; the daemon took ${figure(median(shares) * 100)} % of the processor time of both`,
    },
    {
      name: "    lost",
      unit: "",
      ours: Math.max(0, fewestAlone - fewest),
      bar: atMost(Math.max(0, fewestAlone - fewest), 0, ""),
      note: `of ${fewestAlone} the agent itself gives`,
    },
  ]
}
