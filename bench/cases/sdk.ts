import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Case, Context } from "../case.ts"
import { median } from "../measure/stats.ts"
import { installPeerClient } from "../peer/install.ts"
import { atLeast, atMost, isTrue, type Row } from "../row.ts"
import { builtClient, bundledKiB, node } from "../sdk/built.ts"
import { token } from "../target/api.ts"

const events = 20_000
const rounds = 5

const script = (name: string) => fileURLToPath(new URL(`../sdk/${name}`, import.meta.url))

interface Seen {
  ms: number
  deltas: number
  isWhole: boolean
  cpuMs: number
}

function told<T>(args: string[]): T {
  const { exitCode, stdout, stderr } = Bun.spawnSync([node(), ...args])
  if (exitCode !== 0) throw new Error(`${args.join(" ")}: ${stderr}`)
  return JSON.parse(stdout.toString())
}

/** What importing a package takes in a Node that has just started. */
function importMs(file: string): number {
  const code = `const t = performance.now(); await import(${JSON.stringify(file)}); console.log(performance.now() - t)`
  const times = Array.from({ length: 15 }, () => told<number>(["--input-type=module", "-e", code]))
  return median(times)
}

async function sizes(modules: string, peer: string | undefined): Promise<Row[]> {
  const { exports } = JSON.parse(readFileSync(join(modules, "sandbox-agent/package.json"), "utf8"))
  const names = Object.keys(exports).filter((name) => !name.endsWith(".json"))
  const rows: Row[] = []
  for (const name of names) {
    const entry = join("sandbox-agent", name)
    const theirs = peer !== undefined && name === "." ? await bundledKiB(peer, entry) : undefined
    const ours = await bundledKiB(modules, entry)
    const bar = name === "." ? { bar: atMost(ours, theirs, "KiB", "peer") } : {}
    rows.push({ name: `${entry}, minified and gzipped`, unit: "KiB", ours, peer: theirs, ...bar })
  }
  return rows
}

async function consumed(context: Context, modules: string, peer: string | undefined): Promise<Row[]> {
  const client = join(modules, "sandbox-agent/sandbox-agent.js")
  const ours = await context.ours.start()
  const generic = await context.generic.start()
  const theirs = peer === undefined ? undefined : await context.peer?.start()
  const lanes: Record<string, () => Seen> = {
    "session.events()": () => ourTurn(ours, "events"),
    "session.events(), generic ACP agent": () => ourTurn(generic, "events"),
    "session.onEvent": () => ourTurn(ours, "onEvent"),
    "session.transcript": () => ourTurn(ours, "transcript"),
  }
  const ourTurn = ({ port, agent = "mock" }: typeof ours, way: string) =>
    told<Seen>([script("consume-ours.mjs"), client, `http://127.0.0.1:${port}`, token, agent, way, String(events)])
  const seen = new Map<string, Seen[]>()
  const note = (name: string, turn: Seen) => seen.set(name, [...(seen.get(name) ?? []), turn])
  for (let round = 0; round < rounds; round++) {
    for (const [name, lane] of Object.entries(lanes)) note(name, lane())
    if (theirs === undefined || peer === undefined || round > 2) continue
    const file = join(peer, "sandbox-agent/dist/index.js")
    const turn = told<Seen>([script("consume-peer.mjs"), file, `http://127.0.0.1:${theirs.port}`, String(events)])
    note("peer", turn)
  }
  for (const running of [ours, generic, theirs]) await running?.stop()
  const rate = (turns: Seen[] | undefined) => turns && median(turns.map(({ ms, deltas }) => (deltas / ms) * 1000))
  const cpu = (turns: Seen[] | undefined) => turns && median(turns.map(({ cpuMs, deltas }) => (cpuMs / deltas) * 1000))
  const theirRate = rate(seen.get("peer"))
  const lostByPeer = seen.get("peer")?.reduce((most, { deltas }) => Math.max(most, events - deltas), 0)
  return Object.keys(lanes).flatMap((name): Row[] => {
    const turns = seen.get(name) ?? []
    const mine = rate(turns) ?? Number.NaN
    const lost = turns.some(({ isWhole, deltas }) => !isWhole || deltas < events)
    return [
      {
        name: `events/s consumed by ${name}, a turn of ${events}`,
        unit: "/s",
        ours: mine,
        peer: theirRate,
        bar: atLeast(mine, theirRate && 2 * theirRate, "/s", "2 × peer"),
        note: `Node 20; the peer's client loses up to ${lostByPeer ?? "?"}`,
      },
      {
        name: "    processor of the client for 1,000 events",
        unit: "ms",
        ours: cpu(turns),
        peer: cpu(seen.get("peer")),
      },
      { name: "    all of them, in order", unit: "", bar: isTrue(!lost, "nothing lost") },
    ]
  })
}

/** The client: what it costs to have it, and how fast it takes what a daemon says. */
export const sdk: Case = {
  name: "sdk",
  run: async (context): Promise<Row[]> => {
    const modules = await builtClient()
    const peer = context.peer === undefined ? undefined : await installPeerClient()
    if (peer !== undefined && !existsSync(peer)) throw new Error("the peer's client is not there")
    const ours = importMs(join(modules, "sandbox-agent/sandbox-agent.js"))
    const theirs = peer === undefined ? undefined : importMs(join(peer, "sandbox-agent/dist/index.js"))
    return [
      {
        name: "import of the client, Node 20",
        unit: "ms",
        ours,
        peer: theirs,
        bar: atMost(ours, theirs, "ms", "peer"),
      },
      ...(await sizes(modules, peer)),
      ...(await consumed(context, modules, peer)),
    ]
  },
}
