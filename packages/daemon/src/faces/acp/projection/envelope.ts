/** One JSON-RPC message towards a client, before a stream gives it its place. */
export interface Notification {
  readonly jsonrpc: "2.0"
  readonly method: string
  readonly params: object
}

/** The id is the permission's or the question's own: unique everywhere, so no map is needed. */
export interface Request extends Notification {
  readonly id: string
}

export type Envelope = Notification | Request

export const isRequest = (envelope: Envelope): envelope is Request => "id" in envelope

export const notification = (method: string, params: object): Notification => ({ jsonrpc: "2.0", method, params })

export const request = (id: string, method: string, params: object): Request => ({ jsonrpc: "2.0", id, method, params })

/** Where our own data lives inside `_meta`. */
export const NAMESPACE = "sandboxagent.dev"

export type Meta = { _meta?: Record<string, unknown> }

/** Our fields as `_meta`, to be spread; nothing when none is known. */
export function ours(fields: Readonly<Record<string, unknown>>): Meta {
  let known: Record<string, unknown> | undefined
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue
    known ??= {}
    known[name] = value
  }
  return known === undefined ? {} : { _meta: { [NAMESPACE]: known } }
}

/** What a client put under our name; empty when it put nothing, or something that is not a map. */
export function oursIn(params: unknown): Record<string, unknown> {
  const meta = field(field(params, "_meta"), NAMESPACE)
  return isRecord(meta) ? meta : {}
}

const field = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined)

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
