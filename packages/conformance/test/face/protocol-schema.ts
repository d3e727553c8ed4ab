import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js"
import type { CheckedMessage } from "../../src/face/face-client.ts"

const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false })
for (const name of ["schema", "schema.unstable"]) {
  const file = fileURLToPath(import.meta.resolve(`@agentclientprotocol/sdk/schema/v1/${name}.json`))
  ajv.addSchema(JSON.parse(readFileSync(file, "utf8")) as object, name)
}

const compiled = new Map<string, ValidateFunction>()

function wrongs(schema: string, definition: string, value: unknown): string[] {
  const ref = `${schema}#/$defs/${definition}`
  const validate = compiled.get(ref) ?? ajv.compile({ $ref: ref })
  compiled.set(ref, validate)
  if (validate(value)) return []
  return [`${ajv.errorsText(validate.errors, { dataVar: definition })}: ${JSON.stringify(value)?.slice(0, 600)}`]
}

/** What the daemon asks or tells. */
const requests: Record<string, string> = {
  "session/request_permission": "RequestPermissionRequest",
  "elicitation/create": "CreateElicitationRequest",
}
const notifications: Record<string, string> = {
  "session/update": "SessionNotification",
  "elicitation/complete": "CompleteElicitationNotification",
  "$/cancel_request": "CancelRequestNotification",
}
const answers: Record<string, string> = {
  initialize: "InitializeResponse",
  "session/new": "NewSessionResponse",
  "session/load": "LoadSessionResponse",
  "session/resume": "ResumeSessionResponse",
  "session/close": "CloseSessionResponse",
  "session/set_mode": "SetSessionModeResponse",
  "session/set_config_option": "SetSessionConfigOptionResponse",
  "session/prompt": "PromptResponse",
}
/** Only in the schema of what is to come. */
const unstable: Record<string, string> = { "session/fork": "ForkSessionResponse" }

/** What the official JSON Schemas of ACP v1 say against a message. */
export function schemaFaults({ envelope, method }: CheckedMessage): string[] {
  if (envelope.jsonrpc !== "2.0") return [`not JSON-RPC 2.0: ${JSON.stringify(envelope).slice(0, 300)}`]
  const extension = method.startsWith("_")
  if ("method" in envelope) {
    const definition = ("id" in envelope ? requests : notifications)[method]
    if (definition !== undefined) return wrongs("schema", definition, envelope.params)
    return extension ? [] : [`${method} is no method of ACP: ${JSON.stringify(envelope.params).slice(0, 300)}`]
  }
  if (!("id" in envelope)) return [`neither a request nor an answer: ${JSON.stringify(envelope).slice(0, 300)}`]
  if (envelope.error !== undefined) return wrongs("schema", "Error", envelope.error)
  const definition = answers[method]
  if (definition !== undefined) return wrongs("schema", definition, envelope.result)
  const coming = unstable[method]
  if (coming !== undefined) return wrongs("schema.unstable", coming, envelope.result)
  return extension ? [] : [`an answer to ${method}, which is no method of ACP`]
}
