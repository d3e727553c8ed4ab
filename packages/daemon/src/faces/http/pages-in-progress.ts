import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { type Release, SharedPages } from "../../store/shared-pages.ts"

/**
 * What was made for clients that are in the middle of it, once for all who want the same. What finds no room here is made
 * again for each slice.
 */
export const pagesInProgress = new SharedPages()

let names = 0

/** A name for something that nobody else is given. */
export const uniqueName = (): string => `own ${++names}`

const named = new WeakMap<Uint8Array, string>()

/** The name of these bytes, the same for all who are in the middle of them. */
export function nameOf(bytes: Uint8Array): string {
  const name = named.get(bytes) ?? uniqueName()
  named.set(bytes, name)
  return name
}

/** Room for what cannot be made again. */
export function roomFor(value: object, bytes: number): Release {
  const release = pagesInProgress.hold(uniqueName(), value, bytes, true)
  if (release === undefined)
    throw new SandboxAgentError("unavailable", "too many long answers wait for their clients to take them", {
      retryAfterSeconds: 1,
      hint: "Try again in a moment, or ask for a shorter page.",
    })
  return release
}
