import type { Case, Context } from "../case.ts"
import { rssMb } from "../measure/process.ts"
import { Series } from "../measure/series.ts"
import { atMost, figure, type Row } from "../row.ts"
import { headersOf } from "../target/api.ts"
import type { Running } from "../target/target.ts"

const runs = 200

/** What a run through the daemon costs beside a bare spawn, and the peer's where there is one. */
export const processRuns: Case = {
  name: "processes",
  run: async (context) => {
    const times = new Series()
    for (const target of [context.peer, context.ours].filter((one) => one !== undefined)) {
      const server = await target.start()
      try {
        await time(10, () => runTrue(server))
        times.add(target.name, await time(runs, () => runTrue(server)))
      } finally {
        await server.stop()
      }
    }
    times.add(
      "floor",
      await time(runs, async () => void (await Bun.spawn(["true"], { stdout: "pipe", stderr: "pipe" }).exited)),
    )
    const ours = times.median("ours") ?? Number.NaN
    const peer = times.median("peer")
    return [
      {
        name: `POST /v1/processes/run of true, one after the other`,
        unit: "ms",
        ours,
        floor: times.median("floor"),
        ...(peer === undefined ? {} : { peer }),
        note: "floor: a bare spawn",
      },
    ]
  },
}

async function time(count: number, work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  for (let left = count; left > 0; left--) await work()
  return (performance.now() - began) / count
}

async function post<T>(server: Running, path: string, body: object): Promise<T> {
  const headers = { ...headersOf(server), "content-type": "application/json" }
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

const runTrue = async (server: Running): Promise<void> =>
  void (await post(server, "/v1/processes/run", { command: "true" }))

/** `cat` of a file in a terminal, to one viewer and to ten: MB a second at each of them, and what the daemon grows by. */
export const terminalCat: Case = {
  name: "terminals",
  run: async (context) => [await cat(context, 1), await cat(context, 10)],
}

const bytes = 100 * 1024 * 1024

async function cat(context: Context, viewers: number): Promise<Row> {
  const server = await context.ours.start()
  try {
    const line = "a line of a build that says what it does, in sixty-odd characters "
    const shell = `read go; yes '${line}' | head -c ${bytes}; read end`
    const { id } = await post<{ id: string }>(server, "/v1/terminals", { shell })
    const all = await Promise.all(Array.from({ length: viewers }, () => view(server, id)))
    const before = rssMb(server.pid)
    const began = performance.now()
    all[0]?.socket.send(JSON.stringify({ type: "input", data: "\r" }))
    let most = before
    const watch = setInterval(() => {
      most = Math.max(most, rssMb(server.pid))
    }, 100)
    await Promise.all(all.map(({ done }) => done))
    clearInterval(watch)
    const seconds = (performance.now() - began) / 1000
    const grown = most - before
    for (const { socket } of all) socket.close()
    const resyncs = all.reduce((sum, viewer) => sum + viewer.resyncs(), 0)
    return {
      name: `cat of 100 MB in a terminal, ${viewers} viewer${viewers === 1 ? "" : "s"}`,
      unit: "MB/s",
      ours: bytes / 1e6 / seconds,
      bar: atMost(grown, 64, "MB more"),
      note: `the daemon grew by ${figure(grown)} MB; ${resyncs} screens in place of output that was missed`,
    }
  } finally {
    await server.stop()
  }
}

/** Counts what comes until the last line has. */
async function view(server: Running, id: string) {
  const url = `ws://127.0.0.1:${server.port}/v1/terminals/${id}/ws`
  const socket = new WebSocket(url, { headers: headersOf(server) } as unknown as string[])
  socket.binaryType = "arraybuffer"
  const done = Promise.withResolvers<void>()
  let seen = 0
  let resyncs = 0
  socket.addEventListener("message", ({ data }) => {
    if (typeof data === "string") {
      if (data.includes('"resync"')) resyncs++
      return
    }
    seen += (data as ArrayBuffer).byteLength
    // Each line feed becomes two bytes; one that was given screens in between has all when it is given the last.
    if (seen >= bytes || resyncs > 0) done.resolve()
  })
  socket.addEventListener("close", () => done.resolve())
  await new Promise((resolve) => socket.addEventListener("open", resolve))
  return { socket, done: done.promise, resyncs: () => resyncs }
}
