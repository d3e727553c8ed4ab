import type { Encoding } from "@sandbox-agent/schema/process"
import type { HeadTail } from "./head-tail.ts"

/** As text: characters cut by the gap are left out with it, and the gap is marked. */
export function textOf(kept: HeadTail, encoding: Encoding): string {
  const { head, tail, omitted } = kept
  if (encoding === "base64") return Buffer.concat([head, tail]).toString("base64")
  if (omitted === undefined) return Buffer.concat([head, tail]).toString("utf8")
  const from = startOfCharacter(tail)
  const until = endOfCharacter(head)
  const bytes = omitted.bytes + from + (head.length - until)
  return `${head.toString("utf8", 0, until)}\n[${bytes} bytes left out]\n${tail.toString("utf8", from)}`
}

/** A character of UTF-8 has at most three bytes after its first. */
const continues = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80

function startOfCharacter(bytes: Uint8Array): number {
  let at = 0
  while (at < 3 && continues(bytes[at])) at++
  return at
}

function endOfCharacter(bytes: Uint8Array): number {
  let at = bytes.length
  while (at > 0 && bytes.length - at < 3 && continues(bytes[at - 1])) at--
  const first = at > 0 ? (bytes[at - 1] ?? 0) : 0
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1
  return at > 0 && at - 1 + length > bytes.length ? at - 1 : bytes.length
}
