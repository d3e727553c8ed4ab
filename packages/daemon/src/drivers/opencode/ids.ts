import { randomBytes } from "node:crypto"

const letters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
let last = 0
let counter = 0

/** An id as OpenCode makes its own: it sorts messages by them, so ours have to grow with the time as its do. */
export function nativeId(prefix: "msg" | "prt", now = Date.now()): string {
  counter = now > last ? 1 : counter + 1
  last = Math.max(last, now)
  const stamp = (BigInt(last) * 0x1000n + BigInt(counter)) & 0xffff_ffff_ffffn
  const tail = Array.from(randomBytes(14), (byte) => letters[byte % letters.length]).join("")
  return `${prefix}_${stamp.toString(16).padStart(12, "0")}${tail}`
}
