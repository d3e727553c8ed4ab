import { rm } from "node:fs/promises"
import { join } from "node:path"
import type { Case, Context } from "../case.ts"
import { peakRssMb, rssMb } from "../measure/process.ts"
import { Series } from "../measure/series.ts"
import { atMost, type Bar, figure, isTrue, type Row } from "../row.ts"
import { headersOf, urlOf } from "../target/api.ts"
import { temporary } from "../target/launch.ts"
import type { Running } from "../target/target.ts"

const MiB = 1024 * 1024
const size = 512
const rounds = 3
/** What a transfer may cost the daemon in memory, in MB. */
const mostMb = 20

/** A file of 512 MiB up and down, beside a bare server that does the same. */
export const bigFile: Case = {
  name: "files",
  run: async (context) => {
    const directory = await temporary()
    try {
      const file = join(directory, "sent")
      const writer = Bun.file(file).writer()
      const block = crypto.getRandomValues(new Uint8Array(64 * 1024))
      for (let left = (size * MiB) / block.length; left > 0; left--) {
        writer.write(block)
        await writer.flush()
      }
      await writer.end()
      return await measured(context, directory, file)
    } finally {
      await rm(directory, { recursive: true, force: true })
    }
  },
}

async function measured(context: Context, directory: string, file: string): Promise<Row[]> {
  const rates = { up: new Series(), down: new Series() }
  const grown = { up: 0, down: 0 }
  for (let round = 0; round < rounds; round++)
    for (const target of [context.floor, context.ours]) {
      const server = await target.start()
      try {
        const path = join(directory, `${target.name}-${round}`)
        const url = urlOf(server, "/v1/fs/file", { path })
        // What serves files is loaded with the first of them, however small: that is no cost of this one.
        await put(server, urlOf(server, "/v1/fs/file", { path: join(directory, "first") }), import.meta.path)
        for (const [way, work] of [
          ["up", () => put(server, url, file)] as const,
          ["down", () => get(server, url)] as const,
        ]) {
          const before = rssMb(server.pid)
          const began = performance.now()
          const { peak } = await peakRssMb(server.pid, work)
          rates[way].add(target.name, (size * 1000) / (performance.now() - began))
          if (target.name === "ours") grown[way] = Math.max(grown[way], peak - before)
        }
        await rm(path)
      } finally {
        await server.stop()
      }
    }
  return (["up", "down"] as const).map((way) => row(way, rates[way], grown[way]))
}

function row(way: "up" | "down", rates: Series, grown: number): Row {
  const ours = rates.median("ours") ?? Number.NaN
  const floor = rates.median("floor") ?? Number.NaN
  const memory = atMost(grown, mostMb, "MB more")
  const fast = ours >= 400 || ours >= 0.8 * floor
  const bar: Bar = isTrue(fast && memory.pass === true, `≥ 400 MiB/s or 0.8 × floor; ${memory.text}`)
  return {
    name: `${size} MiB ${way} (${way === "up" ? "PUT" : "GET"} /v1/fs/file)`,
    unit: "MiB/s",
    ours,
    floor,
    bar,
    note: `the daemon grew by ${figure(grown)} MB; floor: a bare Bun server`,
  }
}

async function put(server: Running, url: string, file: string): Promise<void> {
  const answer = await fetch(url, { method: "PUT", headers: headersOf(server), body: Bun.file(file) })
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`)
  await answer.arrayBuffer()
}

async function get(server: Running, url: string): Promise<void> {
  const answer = await fetch(url, { headers: headersOf(server) })
  let bytes = 0
  for await (const chunk of answer.body ?? []) bytes += chunk.length
  if (bytes !== size * MiB) throw new Error(`${answer.status}: ${bytes} bytes came`)
}
