import { once } from "node:events"
import type { Transform } from "node:stream"
import { constants, createGunzip, createGzip, createZstdCompress, createZstdDecompress } from "node:zlib"
import { SandboxAgentError } from "@sandbox-agent/schema/error"

export type ArchiveFormat = "tar" | "tar.gz" | "tar.zst"

export const mediaTypes = {
  tar: "application/x-tar",
  "tar.gz": "application/gzip",
  "tar.zst": "application/zstd",
} as const

/** Which of them it is, shows in its first bytes, whatever it is called. */
export async function* decompressed(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const pieces = source[Symbol.asyncIterator]()
  let head = Buffer.alloc(0)
  let ended = false
  while (head.length < 4 && !ended) {
    const { done, value } = await pieces.next()
    ended = done ?? false
    if (!done) head = Buffer.concat([head, value])
  }
  const whole = (async function* () {
    yield head
    for (;;) {
      const { done, value } = await pieces.next()
      if (done) return
      yield value
    }
  })()
  try {
    if (head[0] === 0x1f && head[1] === 0x8b) yield* through(whole, createGunzip())
    else if (head.length >= 4 && head.readUInt32LE(0) === 0xfd2fb528) yield* through(whole, createZstdDecompress())
    else yield* whole
  } finally {
    await pieces.return?.()
  }
}

export function compressed(source: AsyncIterable<Uint8Array>, format: ArchiveFormat): AsyncIterable<Uint8Array> {
  // As fast as the network rather than as small as can be.
  if (format === "tar.gz") return through(source, createGzip({ level: 3 }))
  if (format === "tar.zst")
    return through(source, createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 3 } }))
  return source
}

/** The work is done beside the event loop; nothing is taken faster than it is given on. */
async function* through(source: AsyncIterable<Uint8Array>, transform: Transform): AsyncGenerator<Uint8Array> {
  const gone = new AbortController()
  let failed: unknown
  const pumping = (async () => {
    for await (const piece of source)
      if (!transform.write(piece)) await once(transform, "drain", { signal: gone.signal })
    transform.end()
  })().catch((error: unknown) => {
    failed ??= error
    transform.destroy()
  })
  try {
    for await (const piece of transform) yield piece as Uint8Array
    if (failed !== undefined) throw failed
  } catch (error) {
    if (SandboxAgentError.is(failed)) throw failed
    if (SandboxAgentError.is(error)) throw error
    throw new SandboxAgentError("invalid_request", `the archive cannot be decompressed: ${messageOf(failed ?? error)}`)
  } finally {
    gone.abort()
    transform.destroy()
    await pumping
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
