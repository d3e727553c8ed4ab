/** What the reference reads of the OpenAPI document. */
export interface Schema {
  $ref?: string
  description?: string
  type?: string | string[]
  format?: string
  const?: unknown
  enum?: unknown[]
  default?: unknown
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  pattern?: string
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  additionalProperties?: boolean | Schema
  allOf?: Schema[]
  oneOf?: Schema[]
  anyOf?: Schema[]
  examples?: unknown[]
}
export type Content = Record<string, { schema: Schema; example?: unknown }>
export interface Parameter {
  name: string
  in: string
  required: boolean
  description?: string
  schema: Schema
}
export interface Operation {
  operationId: string
  tags: [string]
  summary: string
  description?: string
  security?: unknown[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, { description: string; content?: Content }>
  "x-cli"?: string
  "x-codeSamples"?: { label: string; source: string }[]
}
export interface Document {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

/** One operation, with every path it answers at. */
export interface Endpoint {
  method: string
  paths: string[]
  one: Operation
}

/** The second path of an operation is the same handler: it is told once. */
export function endpointsOf({ paths }: Document): Endpoint[] {
  const found = new Map<string, Endpoint>()
  for (const [path, methods] of Object.entries(paths))
    for (const [method, one] of Object.entries(methods)) {
      const known = found.get(one.operationId.replace(/V2$/, ""))
      if (known === undefined) found.set(one.operationId, { method: method.toUpperCase(), paths: [path], one })
      else known.paths.push(path)
    }
  return [...found.values()]
}

export const nameOf = ($ref: string): string => $ref.split("/").at(-1) ?? ""
