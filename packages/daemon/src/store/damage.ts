import { SandboxAgentError } from "@sandbox-agent/schema/error"

/** Bits of a checksum that a number of JavaScript holds exactly. */
const DROPPED_BITS = 12n

/** What is stored with a run of frames, to see later that it is what was written. Its place is part of it. */
export function frameSum(seq: number, count: number, frames: Uint8Array, raws: Uint8Array | null): number {
  const sum = Bun.hash.wyhash(frames, BigInt(seq * 4096 + count))
  return Number((raws === null ? sum : Bun.hash.wyhash(raws, sum)) >> DROPPED_BITS)
}

/** The same of native lines that begin with number `n`. */
export const lineSum = (n: number, lines: Uint8Array): number =>
  Number(Bun.hash.wyhash(lines, BigInt(n)) >> DROPPED_BITS)

/** SQLite found its own file damaged. */
export function isBroken(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? String(error.code) : ""
  return /^SQLITE_(CORRUPT|NOTADB)/.test(code)
}

/** SQLite found its own file damaged, or a text that we wrote as JSON no longer is. */
export function isCorrupt(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return isBroken(error) || error instanceof SyntaxError || /malformed JSON/.test(error.message)
}

const hint = "Read on from `offset` where there is one, or read GET …/items; what cannot be read can be deleted."

/** What is stored of something can no longer be read; everything else goes on. */
export class StoreDamaged extends SandboxAgentError {
  constructor(detail: string, context: Readonly<Record<string, unknown>> = {}) {
    super("internal", detail, { hint, ...context })
  }
}

/** Found by SQLite or by us. */
export const isDamage = (error: unknown): boolean => isCorrupt(error) || error instanceof StoreDamaged

/** Events from `first` to `last` cannot be read; what follows can, from `last` on. */
export const damagedEvents = (first: number, last: number): SandboxAgentError =>
  new StoreDamaged(`events ${first} to ${last} are damaged in the store`, {
    firstDamaged: first,
    lastDamaged: last,
    offset: last,
  })

/** Where to go on after damaged events; undefined for any other error. */
export function offsetAfter(error: unknown): number | undefined {
  if (!(error instanceof StoreDamaged)) return undefined
  const { offset } = error.context
  return typeof offset === "number" ? offset : undefined
}

export const damagedSession = (id: string | undefined, error: unknown): SandboxAgentError =>
  new StoreDamaged(
    `what is stored of the session${id === undefined ? "" : ` ${id}`} is damaged (${error instanceof Error ? error.message : String(error)})`,
    id === undefined ? {} : { sessionId: id },
  )
