import { posix } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { fileLimits } from "@sandbox-agent/schema/file-limits"

/** A path as the kernel has it, one character for each byte: names need not be UTF-8, and none may be changed on its way. */
export type BytePath = string

export const ofText = (text: string): BytePath => Buffer.from(text, "utf8").toString("latin1")
export const ofBuffer = (bytes: Uint8Array): BytePath => Buffer.from(bytes).toString("latin1")
/** For the calls of the system. */
export const toBuffer = (path: BytePath): Buffer => Buffer.from(path, "latin1")

/** For people and JSON; bytes that are no text become U+FFFD, and `uriOf` then has them. */
export const toText = (path: BytePath): string => toBuffer(path).toString("utf8")

/** Only where the text does not lead back to the file. */
export function uriOf(path: BytePath): string | undefined {
  if (ofText(toText(path)) === path) return undefined
  const escaped = path.replaceAll(/[^A-Za-z0-9/._~-]/g, (c) => `%${c.charCodeAt(0).toString(16).padStart(2, "0")}`)
  return `file://${escaped}`
}

/** What a client calls a file: a path, or the `file:` address that a listing gave for a name that is no text. */
export function parsePath(given: string, base: () => BytePath): BytePath {
  const path = given.startsWith("file:///") ? ofUri(given) : ofText(given)
  if (path.includes("\0")) throw new SandboxAgentError("invalid_request", "path: contains a NUL character")
  const whole = path.startsWith("/") ? posix.normalize(path) : posix.join(base(), path)
  const plain = whole.length > 1 && whole.endsWith("/") ? whole.slice(0, -1) : whole
  if (plain.length > fileLimits.pathBytes)
    throw new SandboxAgentError("invalid_request", `path: longer than ${fileLimits.pathBytes} bytes`, {
      limit: fileLimits.pathBytes,
    })
  return plain
}

function ofUri(uri: string): BytePath {
  const path = uri.slice("file://".length)
  if (/%(?![0-9A-Fa-f]{2})/.test(path))
    throw new SandboxAgentError("invalid_request", "path: a % in a file: address stands for two hexadecimal digits")
  return ofText(path).replaceAll(/%([0-9A-Fa-f]{2})/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
}

/** By bytes, as every tool sorts that knows no language. */
export const byBytes = (a: BytePath, b: BytePath): number => (a < b ? -1 : a > b ? 1 : 0)
