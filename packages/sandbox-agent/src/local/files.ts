import { createReadStream, createWriteStream, type Stats } from "node:fs"
import { mkdir, rename, rm, stat } from "node:fs/promises"
import { dirname, relative } from "node:path"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { ReadableStream as NodeStream } from "node:stream/web"
import { packTar, unpackTar } from "modern-tar/fs"
import { isSandboxAgentError, SandboxAgentError } from "../errors.ts"
import { randomId } from "../random-id.ts"
import type { LocalSource, Skipped } from "./local-source.ts"

/** A file as it is; a folder as an archive, which has no size before it is made. */
export async function openLocal(path: string): Promise<LocalSource> {
  const what = `Reading ${path}`
  const found = await stat(path).catch((error: unknown) => Promise.reject(localError(what, error)))
  const isFolder = found.isDirectory()
  // Who reads a pipe may wait for ever for somebody to write to it.
  if (!isFolder && !found.isFile())
    throw new SandboxAgentError(
      "argument",
      `${what}: it is neither a file nor a folder; write what it gives as a stream`,
    )
  const skipped: Skipped[] = []
  const filter = (at: string, entry: Stats) => {
    const isTaken = entry.isFile() || entry.isDirectory() || entry.isSymbolicLink()
    if (!isTaken && skipped.length < 1_000)
      skipped.push({ path: relative(path, at), reason: "is neither a file, a folder nor a link" })
    return isTaken
  }
  const readable = isFolder ? packTar(path, { filter }) : createReadStream(path)
  let error: SandboxAgentError | undefined
  readable.once("error", (cause) => {
    error = localError(what, cause)
  })
  return {
    stream: webStream(readable),
    failed: () => error,
    skipped,
    close: () => readable.destroy(),
    ...(!isFolder && { size: found.size, mode: (found.mode & 0o7777).toString(8).padStart(4, "0") }),
  }
}

export async function saveFile(path: string, stream: ReadableStream<Uint8Array>, mode: number): Promise<void> {
  const part = `${path}.${randomId("part")}`
  await folderFor(dirname(path), stream)
  try {
    await pipeline(nodeStream(stream), createWriteStream(part, { mode: mode & 0o777 }))
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw localError(`Writing ${path}`, error)
  }
}

export async function saveFolder(path: string, archive: ReadableStream<Uint8Array>): Promise<void> {
  await folderFor(path, archive)
  try {
    await pipeline(nodeStream(archive), unpackTar(path, { strict: true }))
  } catch (error) {
    throw localError(`Writing ${path}`, error)
  }
}

/** Where there can be none, nothing is taken of the stream. */
async function folderFor(path: string, stream: ReadableStream<Uint8Array>): Promise<void> {
  try {
    await mkdir(path, { recursive: true })
  } catch (error) {
    await stream.cancel()
    throw localError(`Making ${path}`, error)
  }
}

const nodeStream = (stream: ReadableStream<Uint8Array>): Readable => Readable.fromWeb(stream as unknown as NodeStream)

function webStream(readable: Readable): ReadableStream<Uint8Array> {
  const chunks = readable[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: () => void readable.destroy(),
    },
    { highWaterMark: 0 },
  )
}

const localError = (what: string, error: unknown): SandboxAgentError =>
  isSandboxAgentError(error)
    ? error
    : new SandboxAgentError("argument", `${what}: ${error instanceof Error ? error.message : String(error)}`, error)
