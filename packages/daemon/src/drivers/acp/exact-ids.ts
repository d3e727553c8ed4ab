import { type Json, record } from "../shared/json.ts"

/** Goes into JSON text as it is. */
export interface Written {
  readonly rawJSON: string
}

// The compiler does not know these two of the language yet.
const { rawJSON } = JSON as unknown as { rawJSON(text: string): Written }
type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown

/** A number beyond what a double holds is kept as it was written, so that the answer to its request has it again. */
export function withExactIds(message: Json, raw: string): Json {
  if (isInexact(message.id)) return { ...message, id: writtenIn(raw, "id", (root) => root) }
  if (message.method !== "$/cancel_request" || !isInexact(record(message.params).requestId)) return message
  const requestId = writtenIn(raw, "requestId", ({ params }) => params)
  return { ...message, params: { ...record(message.params), requestId } }
}

const isInexact = (id: unknown): boolean => typeof id === "number" && !Number.isSafeInteger(id)

/** As something that is written again as it stood there. */
function writtenIn(raw: string, name: string, holder: (root: Json) => unknown): Written {
  const written = new Map<unknown, string>()
  const note: Reviver = function (key, value, context) {
    if (key === name && context?.source !== undefined) written.set(this, context.source)
    return value
  }
  const root = record(JSON.parse(raw, note as (this: unknown, key: string, value: unknown) => unknown))
  return rawJSON(written.get(holder(root)) ?? "null")
}
