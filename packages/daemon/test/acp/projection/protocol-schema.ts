import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import type { Envelope } from "../../../src/faces/acp/projection/envelope.ts"

const file = fileURLToPath(import.meta.resolve("@agentclientprotocol/sdk/schema/v1/schema.json"))
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false })
ajv.addSchema(JSON.parse(readFileSync(file, "utf8")), "acp")

const compiled = new Map<string, ValidateFunction>()

/** What the official schema of ACP v1 says against a value; it is looked at as it goes over the wire. */
export function wrongs(definition: string, value: unknown): string[] {
  let validate = compiled.get(definition)
  if (validate === undefined) {
    validate = ajv.compile({ $ref: `acp#/$defs/${definition}` })
    compiled.set(definition, validate)
  }
  const sent = JSON.parse(JSON.stringify(value)) as unknown
  if (validate(sent)) return []
  const why = ajv.errorsText(validate.errors, { dataVar: definition })
  return [`${why}: ${JSON.stringify(sent).slice(0, 600)}`]
}

const definitions: Record<string, string> = {
  "session/update": "SessionNotification",
  "session/request_permission": "RequestPermissionRequest",
  "elicitation/create": "CreateElicitationRequest",
  "$/cancel_request": "CancelRequestNotification",
}

/** The same of whole envelopes, which also have to be of a method that is known, with a session that is ours. */
export function wrongEnvelopes(envelopes: readonly Envelope[], sessionId: string): string[] {
  return envelopes.flatMap((envelope) => {
    const { method, params } = envelope
    const definition = definitions[method]
    const reported = "sessionId" in params ? params.sessionId : undefined
    const place = method === "$/cancel_request" || reported === sessionId ? [] : [`${method} of session ${reported}`]
    const asks = method === "session/request_permission" || method === "elicitation/create"
    const id = "id" in envelope === asks ? [] : [`${method} ${asks ? "without an id" : "with an id"}`]
    if (definition !== undefined) return [...place, ...id, ...wrongs(definition, params)]
    return method.startsWith("_sandboxagent/") ? [...place, ...id] : [`unknown method ${method}`]
  })
}
