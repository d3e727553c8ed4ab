import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { toText } from "../../host/files/byte-path.ts"
import { matches } from "../../host/files/precondition.ts"
import type { ReadableFile } from "../../host/files/read.ts"
import type { StalledReaders } from "../http/stalled-readers.ts"
import { sendBytes } from "./send-bytes.ts"

/** The bytes came from a user or an agent: never let a browser run them. */
const safety = { "x-content-type-options": "nosniff", "content-security-policy": "sandbox; default-src 'none'" }

/** Answers GET or HEAD of a file as RFC 9110 has it: conditions first, then ranges. The file is closed with the answer. */
export async function fileAnswer(
  file: ReadableFile,
  request: Request,
  download: boolean,
  stalled: StalledReaders,
): Promise<Response> {
  try {
    const headers = headersOf(file, download)
    if (isUnchanged(file, request)) return closed(file, new Response(null, { status: 304, headers }))
    const range = rangeOf(file, request)
    const { start, end } = range ?? { start: 0, end: file.size }
    const status = range === undefined ? 200 : 206
    if (range !== undefined) headers["content-range"] = `bytes ${start}-${end - 1}/${file.size}`
    headers["x-content-length"] = String(end - start)
    if (request.method === "HEAD") {
      headers["content-length"] = String(end - start)
      return closed(file, new Response(null, { status, headers }))
    }
    if (end - start <= fileLimits.chunkBytes)
      return closed(file, new Response(await file.whole(start, end), { status, headers }))
    return new Response(send(file, start, end, request, stalled), { status, headers })
  } catch (error) {
    await file.close()
    throw error
  }
}

async function closed(file: ReadableFile, response: Response): Promise<Response> {
  await file.close()
  return response
}

function headersOf(file: ReadableFile, download: boolean): Record<string, string> {
  const name = toText(file.path).split("/").at(-1) ?? ""
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\]/g, "_")
  return {
    etag: file.etag,
    "last-modified": file.modified.toUTCString(),
    "accept-ranges": "bytes",
    "cache-control": "private, no-cache",
    "content-type": Bun.file(plain).type,
    "content-disposition": `${download ? "attachment" : "inline"}; filename="${plain}"; filename*=UTF-8''${encodeURIComponent(name)}`,
    ...safety,
  }
}

function isUnchanged({ etag, modified, path }: ReadableFile, { headers }: Request): boolean {
  const ifMatch = headers.get("if-match")
  if (ifMatch !== null && !matches(ifMatch, etag))
    throw new SandboxAgentError("precondition_failed", `${toText(path)} has changed: it is ${etag} now`, { etag })
  const ifNoneMatch = headers.get("if-none-match")
  if (ifNoneMatch !== null) return matches(ifNoneMatch, etag, true)
  const since = Date.parse(headers.get("if-modified-since") ?? "")
  return since >= seconds(modified)
}

const seconds = (date: Date): number => Math.floor(date.getTime() / 1_000) * 1_000

interface Range {
  start: number
  end: number
}

/** `undefined`: the whole file. Of several ranges the whole is sent, which is always allowed. */
function rangeOf(file: ReadableFile, { headers }: Request): Range | undefined {
  const given = headers.get("range")
  const [, first = "", last = ""] = /^bytes=(\d*)-(\d*)$/.exec(given?.replaceAll(" ", "") ?? "") ?? []
  if (given === null || (first === "" && last === "") || !isSame(file, headers.get("if-range"))) return undefined
  const { size } = file
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === "" || last === "" ? size : Math.min(Number(last) + 1, size)
  if (first !== "" && last !== "" && Number(last) < start) return undefined
  if (start >= size || (first === "" && Number(last) === 0))
    throw new SandboxAgentError("range_not_satisfiable", `${toText(file.path)} has ${size} bytes`, { size })
  return { start, end }
}

/** A range of another file than the client has the rest of would make nonsense of both. */
const isSame = ({ etag, modified }: ReadableFile, ifRange: string | null): boolean =>
  ifRange === null || ifRange.trim() === etag || Date.parse(ifRange) === seconds(modified)

/** The file is closed when its last byte is taken, and when nobody takes it. */
function send(file: ReadableFile, start: number, end: number, request: Request, stalled: StalledReaders) {
  return sendBytes(file.chunks(start, end), request, stalled, () => file.close())
}
