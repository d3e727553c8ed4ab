import { type Methods, makeDocument, type Schema, type SchemaDocument } from "../../../../scripts/schemas/document.ts"

/** A schema of an agent that is small enough to read. */
export function small(definitions: Record<string, Schema>, methods: Methods = {}, version = "1.0.0"): SchemaDocument {
  return makeDocument("small", version, { source: "a test", extracted: "by hand", methods, definitions })
}
