import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { type BytePath, toText } from "./byte-path.ts"

/** What a client wants to be true of a file before it is changed. `etag` undefined: there is none. */
export type Precondition = (etag: string | undefined, path: BytePath) => void

/** From the headers of a request that changes a file (RFC 9110, 13.1); tags of ours are strong. */
export function preconditionOf(ifMatch: string | null, ifNoneMatch: string | null): Precondition {
  return (etag, path) => {
    const failed = (why: string) =>
      new SandboxAgentError("precondition_failed", `${toText(path)} ${why}`, etag === undefined ? {} : { etag })
    if (ifMatch !== null && !(etag !== undefined && matches(ifMatch, etag)))
      throw failed(etag === undefined ? "does not exist" : `has changed: it is ${etag} now`)
    if (ifNoneMatch !== null && etag !== undefined && matches(ifNoneMatch, etag))
      throw failed(ifNoneMatch.trim() === "*" ? "exists already" : `is ${etag}`)
  }
}

/** A list of tags, or `*` for any. A weak tag is never the same as one of ours where bytes have to be. */
export function matches(header: string, etag: string, weak = false): boolean {
  if (header.trim() === "*") return true
  const tags = header.match(/(?:W\/)?"[^"]*"/g) ?? []
  return tags.some((tag) => tag === etag || (weak && tag === `W/${etag}`))
}
