// A process of its own that asks one thing over and over on N kept connections, one request at a time on each.
import { now } from "../measure/clock.ts"
import { ownCpuMs } from "../measure/process.ts"
import type { LoadConfig, LoadResult } from "./load.ts"
import { rawRequest } from "./request.ts"

const config: LoadConfig = JSON.parse(process.argv[2] ?? "")
const request = Buffer.from(rawRequest("GET", config.path, config.port, config.token))
const headEnd = Buffer.from("\r\n\r\n")
let answered = 0
let failed = 0

/** Bytes of a whole response whose head is in `bytes`, or 0 while it is not. */
function responseLength(bytes: Buffer): number {
  const end = bytes.indexOf(headEnd)
  if (end < 0) return 0
  const length = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString("latin1", 0, end))?.[1]
  return end + 4 + Number(length ?? 0)
}

function connect(): Promise<unknown> {
  // Responses of one route have nearly one length: the head is parsed only when the length changes.
  let known = 0
  let rest: Buffer | undefined
  return Bun.connect({
    hostname: "127.0.0.1",
    port: config.port,
    socket: {
      open: (socket) => {
        socket.write(request)
      },
      data: (socket, bytes) => {
        const all = rest === undefined ? bytes : Buffer.concat([rest, bytes])
        if (all.length !== known) known = responseLength(all)
        if (known === 0 || all.length < known) {
          rest = Buffer.from(all)
          return
        }
        rest = undefined
        // "HTTP/1.1 200": the digit is enough.
        if (all[9] !== 50) failed++
        else answered++
        socket.write(request)
      },
      error: () => {
        failed++
      },
    },
  })
}

await Promise.all(Array.from({ length: config.connections }, connect))
await Bun.sleep(config.warmMs)
const before = answered
const cpu = ownCpuMs()
const start = now()
await Bun.sleep(config.measureMs)
const counted = answered - before
const seconds = (now() - start) / 1000
const result: LoadResult = { perSecond: counted / seconds, failed, cpuShare: (ownCpuMs() - cpu) / 1000 / seconds }
console.log(JSON.stringify(result))
process.exit(0)
