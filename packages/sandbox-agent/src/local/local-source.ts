import type { SandboxAgentError } from "../errors.ts"

export interface Skipped {
  path: string
  reason: string
}

/** What is read of this machine to be sent. */
export interface LocalSource {
  stream: ReadableStream<Uint8Array>
  /** Of a file; a folder is an archive, whose size nobody knows before it is made. */
  size?: number
  /** Octal digits. */
  mode?: string
  /** What of a folder is not sent; known when it was read. */
  skipped: readonly Skipped[]
  /** Why it could not be read to its end. */
  failed(): SandboxAgentError | undefined
  close(): void
}
