import { rmSync } from "node:fs"
import { open, rename, stat } from "node:fs/promises"
import { constants } from "node:os"
import { writeAll } from "../files/write-all.ts"
import type { Bytes, Call } from "./client.ts"
import { bytesOf } from "./cut-off.ts"
import { OutputLost, out } from "./print.ts"
import { UsageError } from "./usage.ts"

/** Passes the bytes of an answer on as they come, to a file or to stdout. */
export async function printBytes(response: Response, request: Call, file: string | undefined): Promise<number> {
  if (!response.body) return 0
  if (file !== undefined && file !== "-") {
    await saveBytes(bytesOf(response.body, request), file)
    return 0
  }
  const text = /^(text\/|application\/json)/.test(response.headers.get("content-type") ?? "")
  if (process.stdout.isTTY && !text && file !== "-") {
    await response.body.cancel()
    throw new UsageError(
      "these are bytes that could upset the terminal; use --output FILE, or `--output -` if that is meant",
    )
  }
  for await (const chunk of bytesOf(response.body, request)) await out(chunk)
  return 0
}

/** The file appears when it is complete. */
export async function saveBytes(body: AsyncIterable<Uint8Array>, file: string, named = "--output: "): Promise<void> {
  if ((await stat(file).catch(() => undefined))?.isDirectory())
    throw new UsageError(`${named}${file} is a folder; name a file in it`)
  const draft = `${file}.${process.pid}.part`
  const left = () => rmSync(draft, { force: true })
  // Before there is a draft, and it waits for that: else a signal meanwhile would leave one that nobody removes.
  const forget = onEnding((code) => void made.then(() => process.exit(code)))
  const opening = open(draft, "wx")
  const made = opening.then(
    () => void process.once("exit", left),
    () => {},
  )
  const lost = (error: Error) => {
    throw new OutputLost(error)
  }
  try {
    const handle = await opening.catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(`${named}cannot write ${file} (${error.code ?? error.message})`)
    })
    try {
      for await (const chunk of body) await writeAll(handle, chunk).catch(lost)
      await handle.close().catch(lost)
      await rename(draft, file).catch(lost)
    } catch (error) {
      await handle.close().catch(() => {})
      left()
      throw error
    }
  } finally {
    process.off("exit", left)
    forget()
  }
}

/** A signal would end us before anything is put right. */
function onEnding(end: (code: number) => void): () => void {
  const endings = (["SIGHUP", "SIGINT", "SIGTERM"] as const).map((name) => {
    const listener = () => end(128 + constants.signals[name])
    process.on(name, listener)
    return () => process.off(name, listener)
  })
  return () => {
    for (const forget of endings) forget()
  }
}

/** What is to be sent: a file, or stdin as it comes. `named`: how the file was given. */
export async function bytesToSend(
  file: string | undefined,
  stdin: NodeJS.ReadStream,
  named = { by: "--input: ", how: " with --input" },
): Promise<Bytes> {
  if (file === undefined || file === "-") {
    if (stdin.isTTY) throw new UsageError(`nothing to send: name a file${named.how}, or pipe something in`)
    return Bun.stdin.stream() as unknown as Bytes
  }
  const source = Bun.file(file)
  if (!(await source.exists())) throw new UsageError(`${named.by}there is no file ${file}`)
  return source
}

export async function printHeaders({ headers }: Response, json: boolean): Promise<number> {
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\n`)
  await out(json ? `${JSON.stringify(Object.fromEntries(headers))}\n` : lines.join(""))
  return 0
}
