import type { Case } from "../case.ts"
import { headerless, prompt } from "../client/acp.ts"
import { openReaders } from "../client/readers.ts"
import { anonymousMb, cpuMs, peakRssMb, rssMb } from "../measure/process.ts"
import { median } from "../measure/stats.ts"
import { watchedTurn } from "../measure/turn.ts"
import { atMost, figure, type Row } from "../row.ts"
import type { Running, Target } from "../target/target.ts"

const updates = 20_000
const turns = 5
const rounds = 3
const restMs = 10_000

interface Flood {
  peak: number
  after: number
  /** Of that, what is not backed by a file. */
  anonymous: number
  /** Processor time of each turn but the first, which pays for cold code. */
  cpu: number[]
}

/** One turn that a client watches to its end. */
type Turn = () => Promise<unknown>

async function overRest(server: Running): Promise<Turn> {
  const session = await server.openSession("flood")
  return () => watchedTurn(server, session, `/stream ${updates}`, 1, 30_000)
}

async function overAcp(server: Running): Promise<Turn> {
  const client = await headerless(server, "flood")
  return async () => {
    const readers = await openReaders({
      port: server.port,
      path: client.path,
      token: server.token,
      count: 1,
      needle: `ext":"`,
      from: -1,
      until: updates - 1,
      marker: "",
      quietMs: 30_000,
    })
    const answered = prompt(client, `/stream ${updates}`)
    const { lost, duplicated, quiet } = await readers.result
    if (lost + duplicated > 0 || quiet) throw new Error("the reader did not get every update once")
    await answered
  }
}

/** A fresh daemon: five turns one after another in one session, then rest. */
async function measure(target: Target, open: (server: Running) => Promise<Turn>): Promise<Flood> {
  const server = await target.start()
  const turn = await open(server)
  const cpu: number[] = []
  const { peak } = await peakRssMb(server.pid, async () => {
    for (let i = 0; i < turns; i++) {
      const before = cpuMs(server.pid)
      await turn()
      if (i > 0) cpu.push(cpuMs(server.pid) - before)
    }
  })
  await Bun.sleep(restMs)
  const [after, anonymous] = [rssMb(server.pid), anonymousMb(server.pid)]
  await server.stop()
  return { peak, after, anonymous, cpu }
}

/** What a flood of events takes of memory, and what of it is given back at rest. */
export const flood: Case = {
  name: "flood",
  run: async ({ ours, generic, peer }) => {
    const rows: Row[] = []
    const peers: Flood[] = []
    for (let round = 0; peer !== undefined && round < rounds; round++) peers.push(await measure(peer, overPeer))
    for (const [name, target, open] of [
      ["mock through REST", ours, overRest],
      ["generic ACP agent, /v1/acp", generic, overAcp],
    ] as const) {
      const all: Flood[] = []
      for (let round = 0; round < rounds; round++) all.push(await measure(target, open))
      const [peak, after] = [median(all.map((one) => one.peak)), median(all.map((one) => one.after))]
      rows.push(
        {
          name: `peak RSS, ${turns} × ${updates} events, ${name}`,
          unit: "MB",
          ours: peak,
          peer: peers.length > 0 ? median(peers.map((one) => one.peak)) : undefined,
          bar: atMost(peak, 110, "MB"),
          note: `rounds: ${all.map((one) => figure(one.peak)).join(", ")} MB; processor ms of a turn: ${figure(median(all.flatMap((one) => one.cpu)))}`,
        },
        {
          name: `    ${restMs / 1000} s later`,
          unit: "MB",
          ours: after,
          peer: peers.length > 0 ? median(peers.map((one) => one.after)) : undefined,
          bar: atMost(after, 65, "MB"),
          note: `rounds: ${all.map((one) => figure(one.after)).join(", ")} MB`,
        },
        {
          name: "    of it not backed by a file",
          unit: "MB",
          ours: median(all.map((one) => one.anonymous)),
          peer: peers.length > 0 ? median(peers.map((one) => one.anonymous)) : undefined,
        },
      )
    }
    return rows
  },
}

/** It replays what it kept to every reader, so a turn of its own server each; it may lose updates, and then ends by silence. */
async function overPeer(server: Running): Promise<Turn> {
  let turn = 0
  return async () => watchedTurn(server, await server.openSession(`flood-${++turn}`), `/stream ${updates}`, 1, 2_000)
}
