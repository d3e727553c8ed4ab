import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Session } from "./session.ts"

/** The bytes behind a hash that an item of this session names. They are read when they are asked for. */
export interface Blob {
  readonly mime: string
  read(): Uint8Array
}

export function blobOf(s: Session, hash: string): Blob {
  const { rows } = s.context
  const missing = () => new SandboxAgentError("not_found", `there is no blob ${hash}`)
  const mime = rows.blobMime(s.record.uid, hash)
  if (mime === undefined) throw missing()
  const read = () => {
    const blob = rows.blob(s.record.uid, hash)
    if (blob === undefined) throw missing()
    return blob.bytes
  }
  return { mime, read }
}

/** The same, where its absence is no fault. */
export const bytesOf = (s: Session, hash: string): Uint8Array | undefined =>
  s.context.rows.blob(s.record.uid, hash)?.bytes
