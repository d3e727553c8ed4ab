import type { PermissionReply } from "@sandbox-agent/schema/request"
import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  PermissionOption,
  RequestPermissionRequest,
  RequestPermissionResponse,
} from "acp-http-client"
import { ours } from "./daemon-meta.ts"

/** Answers as a client gives them that knows the protocol and nothing else: from what was offered. */

const kinds: Record<PermissionReply, PermissionOption["kind"]> = {
  once: "allow_once",
  always: "allow_always",
  reject: "reject_once",
}

export const offersAlways = (params: object): boolean =>
  ((params as Partial<RequestPermissionRequest>).options ?? []).some(({ kind }) => kind === kinds.always)

export const chosenByKind = (params: object, reply: PermissionReply, message?: string) =>
  selected(params, ({ kind }) => kind === kinds[reply], kinds[reply], message)

export const chosenByName = (params: object, label: string) => selected(params, ({ name }) => name === label, label)

function selected(
  params: object,
  fits: (option: PermissionOption) => boolean,
  wanted: string,
  message?: string,
): RequestPermissionResponse {
  const { options = [] } = params as Partial<RequestPermissionRequest>
  const option = options.find(fits)
  if (option === undefined) throw new Error(`${wanted} is not offered: ${JSON.stringify(options)}`)
  return { outcome: { outcome: "selected", optionId: option.optionId }, ...words(message) }
}

export const declined = (message: string): CreateElicitationResponse => ({ action: "decline", ...words(message) })

const words = (message: string | undefined) => (message === undefined ? {} : ours({ message }))

type Form = Extract<CreateElicitationRequest, { mode: "form" }>

export const isForm = (params: object): params is Form => "requestedSchema" in params

interface Property {
  type: string
  oneOf?: { const: string }[]
  enum?: string[]
  items?: { anyOf?: { const: string }[]; enum?: string[] }
}

/** A form filled in: what is not among the choices of a field goes into the one beside it for words of one's own. */
export function filledIn({ requestedSchema }: Form, answers: readonly string[][]): CreateElicitationResponse {
  const properties = requestedSchema.properties as Record<string, Property>
  const content: Record<string, string | number | boolean | string[]> = {}
  const keys = Object.keys(properties)
  // Every agent has an ending of its own for the name of such a field.
  const besideOf = (field: string) => keys.find((key) => key.startsWith(`${field}_`))
  const fields = keys.filter((key) => !keys.some((field) => besideOf(field) === key))
  fields.forEach((key, i) => {
    const given = answers[i] ?? []
    const property = properties[key] ?? { type: "string" }
    const choices = choicesOf(property)
    const freeText = choices === undefined ? [] : given.filter((one) => !choices.includes(one))
    const chosen = given.filter((one) => !freeText.includes(one))
    if (property.type === "array") content[key] = chosen
    else if (chosen[0] !== undefined) content[key] = typed(property, chosen[0])
    if (freeText[0] === undefined) return
    const beside = besideOf(key)
    if (beside === undefined) throw new Error(`no words of one's own beside ${key}`)
    content[beside] = freeText[0]
  })
  return { action: "accept", content }
}

function choicesOf({ oneOf, enum: plain, items }: Property): string[] | undefined {
  const titled = oneOf ?? items?.anyOf
  return titled?.map((choice) => choice.const) ?? plain ?? items?.enum
}

function typed({ type }: Property, text: string): string | number | boolean {
  if (type === "boolean") return text === "true"
  return type === "number" || type === "integer" ? Number(text) : text
}
