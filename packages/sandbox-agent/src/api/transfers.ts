import { SandboxAgentError } from "../errors.ts"
import type { Bytes, CallOptions } from "../http/http.ts"
import type { OnProgress, Progress } from "../http/progress.ts"
import type { AnswerOf } from "../types.ts"
import type { Files } from "./files.ts"

/** A file to be uploaded. */
export interface UploadFile {
  /** Below the folder that it is uploaded to. */
  path: string
  content: Exclude<Bytes, ReadableStream<Uint8Array>>
  /** Such as `0o755`. */
  mode?: number
  modifiedAt?: Date
}

/** A path of this machine, or files one after the other. */
export type UploadSource = string | Iterable<UploadFile> | AsyncIterable<UploadFile>

export interface UploadOptions extends CallOptions {
  sessionId?: string
  onProgress?: OnProgress
}

export interface DownloadOptions extends UploadOptions {
  /** Of a folder: also names that begin with a dot; true without. */
  hidden?: boolean
  /** Of a folder: leave out what .gitignore files name, and .git. */
  gitignore?: boolean
}

export interface Uploaded {
  files: number
  bytes: number
  /** What was left out and why, the first thousand. */
  skipped: AnswerOf<"uploadFsBatch">["skipped"]
}

/** Loaded when it is asked for: a page or a Worker has no files of its own, and gets a module that says so. */
const local = () => import("#local-files")

export async function upload(files: Files, from: UploadSource, to: string, options: UploadOptions): Promise<Uploaded> {
  if (typeof from !== "string") return unpacked(await files.uploadArchive(to, await packed(from), options))
  const { openLocal } = await local()
  const source = await openLocal(from)
  try {
    if (source.size === undefined) {
      const done = unpacked(await files.uploadArchive(to, source.stream, options))
      return { ...done, skipped: [...source.skipped, ...done.skipped].slice(0, 1_000) }
    }
    const { onProgress, ...rest } = options
    const { size: total, mode } = source
    const told = onProgress && (({ bytes }: Progress) => onProgress({ bytes, total }))
    const { bytesWritten } = await files.write(to, source.stream, { ...rest, mode, onProgress: told })
    return { files: 1, bytes: bytesWritten, skipped: [] }
  } catch (error) {
    // The request fails with what it is made of.
    throw source.failed() ?? error
  } finally {
    source.close()
  }
}

export async function download(files: Files, path: string, to: string, options: DownloadOptions): Promise<Progress> {
  const { saveFile, saveFolder } = await local()
  const { hidden, gitignore, onProgress, ...rest } = options
  const { entryType, mode } = await files.stat(path, rest)
  let bytes = 0
  const count = (progress: Progress) => {
    bytes = progress.bytes
    onProgress?.(progress)
  }
  if (entryType === "directory")
    await saveFolder(to, await files.archive(path, { ...rest, hidden, gitignore, onProgress: count }))
  else await saveFile(to, await files.readStream(path, { ...rest, onProgress: count }), Number.parseInt(mode, 8))
  return { bytes, total: bytes }
}

const unpacked = ({ files, bytes, skipped }: AnswerOf<"uploadFsBatch">): Uploaded => ({ files, bytes, skipped })

/** An archive of these files, made while it is sent. */
async function packed(files: Exclude<UploadSource, string>): Promise<ReadableStream<Uint8Array>> {
  const { createTarPacker } = await import("modern-tar")
  const { readable, controller } = createTarPacker()
  const pack = async () => {
    for await (const { path, content, mode, modifiedAt } of files) {
      const body = new Blob([content])
      const header = { name: path, size: body.size, type: "file" as const, mode, mtime: modifiedAt }
      await body.stream().pipeTo(controller.add(header))
    }
    controller.finalize()
  }
  pack().catch((error: unknown) =>
    controller.error(new SandboxAgentError("argument", `Packing files: ${String(error)}`, error)),
  )
  return readable
}
