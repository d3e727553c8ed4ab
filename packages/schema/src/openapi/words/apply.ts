import { eventData } from "../../event.ts"
import { globalEventData } from "../../global-event.ts"
import type { Components, Json } from "../components.ts"
import { eventName } from "../unions.ts"
import { agentWords } from "./agent-words.ts"
import { envelopeWords, eventWords, globalEventWords } from "./event-words.ts"
import { hostWords } from "./host-words.ts"
import { itemWords } from "./item-words.ts"
import { requestWords } from "./request-words.ts"
import { sessionWords } from "./session-words.ts"

/** By the path of a field; the empty one is the whole. */
export type FieldWords = Readonly<Record<string, string>>
/** By the name of a schema. Only of what is answered: what is asked for is described where it is declared. */
export type Words = Readonly<Record<string, FieldWords>>

/** Says what each field of an answer means. Words for what is not there, or has some already, are a mistake. */
export function describeAnswers(components: Components): void {
  for (const table of [sessionWords, agentWords, itemWords, envelopeWords, hostWords, requestWords])
    for (const [name, words] of Object.entries(table)) {
      const schema = components.schemas[name]
      if (schema === undefined) throw new Error(`no schema is named ${name}`)
      describe(name, schema, words)
    }
  describeEvents(components, "", Object.keys(eventData), eventWords)
  describeEvents(components, "Global", Object.keys(globalEventData), globalEventWords)
}

function describeEvents(components: Components, prefix: string, types: readonly string[], words: Words): void {
  for (const type of types) {
    const name = eventName(type, prefix)
    const { "": what = "", ...fields } = words[type] ?? {}
    const schema = components.schemas[name] as { allOf: Json[] }
    const [, typed] = schema.allOf
    const data = at(typed ?? {}, "data")
    describe(name, schema as unknown as Json, { "": what })
    describe(name, typed ?? {}, { type: `always \`${type}\``, data: "what happened" })
    if (data !== undefined) describe(name, data, fields)
  }
}

function describe(name: string, schema: Json, words: FieldWords): void {
  for (const [path, text] of Object.entries(words)) {
    const field = path === "" ? schema : path.split(".").reduce<Json | undefined>(at, schema)
    if (field === undefined) throw new Error(`${name} has no field ${path}`)
    if (field.description !== undefined) throw new Error(`${name}.${path} is described already`)
    field.description = text
  }
}

/** A field of an object, of one of the parts it is made of, or of the members of a list. */
function at(schema: Json | undefined, step: string): Json | undefined {
  if (schema === undefined) return undefined
  const [, field = "", list] = /^(.*?)(\[\])?$/.exec(step) ?? []
  const parts = [schema, ...((schema.allOf ?? []) as Json[])]
  const found = parts.map(({ properties }) => (properties as Record<string, Json> | undefined)?.[field])
  const one = found.find((shape) => shape !== undefined)
  return list === undefined ? one : (one?.items as Json | undefined)
}
