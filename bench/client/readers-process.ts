// A process of its own that holds many SSE readers on raw sockets; see readers.ts for what goes in and out.
import { now } from "../measure/clock.ts"
import { ownCpuMs } from "../measure/process.ts"
import { ResponseBody } from "./body.ts"
import { NumberScanner } from "./numbers.ts"
import type { ReadersConfig, ReadersResult } from "./readers.ts"
import { rawRequest } from "./request.ts"

const config: ReadersConfig = JSON.parse(process.argv[2] ?? "")
const marker = Buffer.from(config.marker)
let target = config.until ?? Number.POSITIVE_INFINITY
let askedAt = Number.POSITIVE_INFINITY
let lastData = now()
let bytesSeen = 0
let open = 0

interface Reader {
  scanner: NumberScanner
  firstAt: number
  lastAt: number
}

function connect(index: number): Reader {
  const lead = index === 0
  const scanner = new NumberScanner(config.from, config.needle)
  const reader: Reader = { scanner, firstAt: Number.POSITIVE_INFINITY, lastAt: 0 }
  let tail = Buffer.alloc(0)
  const body = new ResponseBody((bytes, start, end) => {
    reader.scanner.scan(bytes, start, end)
    if (!lead || target !== Number.POSITIVE_INFINITY) return
    // Only the first reader looks for the end of the turn: one search of the bytes, not a hundred.
    const joined = Buffer.concat([tail, bytes.subarray(start, end)])
    if (joined.indexOf(marker) >= 0) target = reader.scanner.last
    tail = Buffer.from(joined.subarray(-(marker.length - 1)))
  })
  void Bun.connect({
    hostname: "127.0.0.1",
    port: config.port,
    socket: {
      open: (socket) => {
        askedAt = Math.min(askedAt, now())
        const headers = ["Accept: text/event-stream", ...(config.headers?.[index] ?? [])]
        socket.write(rawRequest("GET", config.path, config.port, config.token, headers))
      },
      data: (_, bytes) => {
        const before = reader.scanner.last
        const opened = body.status !== 0
        body.push(bytes)
        bytesSeen += bytes.length
        if (!opened && body.status !== 0 && ++open === config.count) say({ ready: true })
        if (body.status !== 200 && body.status !== 0) fail(`a reader got ${body.status}: ${bytes.toString()}`)
        if (reader.scanner.last === before) return
        lastData = now()
        reader.firstAt = Math.min(reader.firstAt, lastData)
        reader.lastAt = lastData
      },
    },
  })
  return reader
}

const say = (line: object): void => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

function fail(error: string): never {
  say({ error })
  process.exit(1)
}

function finish(quiet: boolean): never {
  const sum = (pick: (r: Reader) => number): number => readers.reduce((total, r) => total + pick(r), 0)
  const end = Number.isFinite(target) ? target : Math.max(...readers.map((r) => r.scanner.last))
  const result: ReadersResult = {
    delivered: sum((r) => r.scanner.count),
    lost: sum((r) => r.scanner.lost + Math.max(0, end - r.scanner.last)),
    duplicated: sum((r) => r.scanner.duplicated),
    last: end,
    askedAt,
    firstAt: Math.min(...readers.map((r) => r.firstAt)),
    lastAt: Math.max(...readers.map((r) => r.lastAt)),
    bytes: bytesSeen,
    cpuMs: ownCpuMs() - cpuBefore,
    quiet,
  }
  say({ result })
  process.exit(0)
}

const cpuBefore = ownCpuMs()
const readers = Array.from({ length: config.count }, (_, i) => connect(i))
setInterval(() => {
  if (readers.every((r) => r.scanner.last >= target)) finish(false)
  if (open === config.count && now() - lastData > config.quietMs) finish(true)
}, 5)
