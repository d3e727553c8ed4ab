import { fileURLToPath } from "node:url"
import { lines } from "./lines.ts"

export interface ReadersConfig {
  port: number
  path: string
  token?: string
  /** Of each reader, where they differ. */
  headers?: string[][]
  count: number
  /** What the numbers that are checked stand behind; the ids of the events when absent. */
  needle?: string
  /** The number the streams start after; the next must be one more. */
  from: number
  /** Bytes that only the last event of the turn carries; not looked for when `until` is known. */
  marker: string
  /** Silence after which the readers give up and tell what they have. */
  quietMs: number
  /** The last number, where it is known before. */
  until?: number
}

export interface ReadersResult {
  delivered: number
  lost: number
  duplicated: number
  last: number
  /** When the first stream was asked for. */
  askedAt: number
  firstAt: number
  lastAt: number
  bytes: number
  cpuMs: number
  /** The end never came: told after silence. */
  quiet: boolean
}

type ReadersOutput = { ready: true } | { error: string } | { result: ReadersResult }

export interface Readers {
  pid: number
  result: Promise<ReadersResult>
  kill(): void
}

const script = fileURLToPath(new URL("./readers-process.ts", import.meta.url))

/** Starts the process of readers; resolves when every stream is open. */
export async function openReaders(config: ReadersConfig): Promise<Readers> {
  const child = Bun.spawn([process.execPath, script, JSON.stringify(config)], { stdout: "pipe", stderr: "inherit" })
  const said = lines(child.stdout)
  const next = async (): Promise<ReadersOutput> => {
    const { value, done } = await said.next()
    if (done) throw new Error("the readers' process ended without a word")
    const line: ReadersOutput = JSON.parse(value)
    if ("error" in line) throw new Error(line.error)
    return line
  }
  await next()
  const result = next().then((line) => {
    if (!("result" in line)) throw new Error("the readers' process spoke out of turn")
    return line.result
  })
  // Callers that only want a stalled reader never look at its result.
  result.catch(() => undefined)
  return { pid: child.pid, result, kill: () => child.kill("SIGKILL") }
}
