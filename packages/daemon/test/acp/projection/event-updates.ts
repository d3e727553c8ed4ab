import type { Event } from "@sandbox-agent/schema/event"
import { expect } from "vitest"
import type { ItemHead } from "../../../src/faces/acp/projection/head.ts"
import type { Sources } from "../../../src/faces/acp/projection/sources.ts"
import { type Traits, traitsOf } from "../../../src/faces/acp/projection/traits.ts"
import { project } from "../../../src/faces/acp/projection/updates.ts"
import { wrongEnvelopes } from "./protocol-schema.ts"

export const plain = traitsOf({})
export const notices = traitsOf({ session: { notices: {} } })

/** The updates an event makes, all of them valid. */
export function updates(
  given: Event,
  traits: Traits = plain,
  head?: ItemHead,
  sources?: Sources,
): Record<string, unknown>[] {
  const envelopes = project(given, head, traits, sources)
  expect(wrongEnvelopes(envelopes, "one")).toEqual([])
  return envelopes.map(({ method, params }) =>
    "update" in params ? (params.update as Record<string, unknown>) : { method, ...params },
  )
}
export const ours = (fields: object) => ({ _meta: { "sandboxagent.dev": fields } })
