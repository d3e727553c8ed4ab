import type { Bytes } from "./http.ts"
import type { OnProgress } from "./progress.ts"

/** Pages send only what they have whole: browsers stream a request over HTTP/2 alone, which a daemon does not speak. */
const isPage = (): boolean => "document" in globalThis || "importScripts" in globalThis

/** What is sent of these bytes. `onTaken` hears of every piece that the connection takes. */
export async function sentBytes(bytes: Bytes, onTaken: () => void): Promise<Exclude<Bytes, string> | string> {
  if (!(bytes instanceof ReadableStream)) return bytes
  return isPage() ? new Response(bytes as ReadableStream<Uint8Array<ArrayBuffer>>).blob() : counted(bytes, onTaken)
}

/** The same bytes, counted as they are taken. What a page has whole is counted when it is sent. */
export function withProgress(bytes: Bytes, onProgress: OnProgress, known?: number): Bytes {
  const total = known ?? sizeOf(bytes)
  const told = (count: number) => onProgress({ bytes: count, ...(total !== undefined && { total }) })
  if (bytes instanceof ReadableStream) return counted(bytes, told)
  return isPage() ? bytes : counted(new Blob([bytes]).stream(), told)
}

function sizeOf(bytes: Bytes): number | undefined {
  if (bytes instanceof ReadableStream) return undefined
  return typeof bytes === "string" || bytes instanceof Blob ? new Blob([bytes]).size : bytes.byteLength
}

function counted(stream: ReadableStream<Uint8Array>, taken: (bytes: number) => void): ReadableStream<Uint8Array> {
  let bytes = 0
  return stream.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(piece, controller) {
        bytes += piece.length
        controller.enqueue(piece)
        taken(bytes)
      },
    }),
  )
}
