import { z } from "zod"
import { EnvelopeSchema, EventSchema, eventData } from "../event.ts"
import { GlobalEnvelopeSchema, GlobalEventSchema, globalEventData } from "../global-event.ts"
import { type Components, type Json, refTo } from "./components.ts"

/** The events of both logs: one named schema per type around a shared envelope, and the union that `type` decides. */
export function addEvents(components: Components): void {
  components.add("Event", eventUnion(components, "", EnvelopeSchema, eventData))
  components.add("GlobalEvent", eventUnion(components, "Global", GlobalEnvelopeSchema, globalEventData))
}

/** The Zod schemas of whole events repeat the envelope in each type; here the unions above stand for them. */
export const unionOf = (event: z.ZodType): Json | undefined =>
  event === EventSchema ? refTo("Event") : event === GlobalEventSchema ? refTo("GlobalEvent") : undefined

function eventUnion(
  components: Components,
  prefix: string,
  envelope: z.ZodType,
  payloads: Readonly<Record<string, z.ZodType>>,
): Json {
  const shared = components.of(envelope, "output")
  const mapping: Record<string, string> = {}
  const oneOf = Object.entries(payloads).map(([type, data]) => {
    const typed = components.of(z.object({ type: z.literal(type), data }), "output")
    const ref = components.add(eventName(type, prefix), { allOf: [shared, typed] })
    mapping[type] = String(ref.$ref)
    return ref
  })
  return { oneOf, discriminator: { propertyName: "type", mapping } }
}

/** `session.started` is the type of a `SessionStartedEvent`. */
export function eventName(type: string, prefix = ""): string {
  const words = type.split(".").map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
  return `${prefix}${words.join("")}Event`
}

/** Unions of named parts that are told apart by `type`: the mapping says which is which. */
export function addDiscriminators(components: Components): void {
  for (const schema of Object.values(components.schemas)) {
    const { oneOf, discriminator } = schema as { oneOf?: Json[]; discriminator?: Json }
    if (oneOf === undefined || discriminator !== undefined) continue
    const mapping = oneOf.map(({ $ref }) => {
      const part = components.schemas[String($ref).split("/").at(-1) ?? ""] as { properties?: { type?: Json } }
      return [String(part?.properties?.type?.const), $ref]
    })
    schema.discriminator = { propertyName: "type", mapping: Object.fromEntries(mapping) }
  }
}
