import { errors } from "@sandbox-agent/schema/error"
import { eventTypes } from "@sandbox-agent/schema/event"
import { globalEventTypes } from "@sandbox-agent/schema/global-event"
import { eventName } from "@sandbox-agent/schema/openapi/unions"
import { escapeHtml } from "../page.ts"
import type { Schema } from "./document.ts"
import { shapeOf, tableOf, typeOf } from "./fields.ts"
import { block, code, inline, json } from "./text.ts"

type Schemas = Readonly<Record<string, Schema>>

const events = [
  ...eventTypes.map((type) => ({ type: type as string, name: eventName(type) })),
  ...globalEventTypes.map((type) => ({ type: type as string, name: eventName(type, "Global") })),
]
export const eventNames = new Set(events.map(({ name }) => name))

/** Each type of event: what it means, the fields of `data`, and one as it is sent. */
export function eventSections(schemas: Schemas): string {
  return events
    .map(({ type, name }) => {
      const { description = "", allOf = [], examples = [] } = schemas[name] ?? {}
      const data = allOf[1]?.properties?.data ?? {}
      const fields =
        data.$ref === undefined ? shapeOf(data, schemas, "optional") : `<p>${code("data")} is a ${typeOf(data)}.</p>`
      const all = name.startsWith("Global") ? " <small>of all sessions</small>" : ""
      return `<article id="${name}"><div class="told"><h3><a href="#${name}"><code>${type}</code></a>${all}</h3><p>${inline(description)}</p>${fields}</div>
<div class="shown">${block(name, json(examples[0]))}</div></article>`
    })
    .join("")
}

export function schemaSections(schemas: Schemas): string {
  return Object.entries(schemas)
    .filter(([name]) => !eventNames.has(name))
    .map(([name, schema]) => {
      const example = schema.examples?.[0]
      return `<article id="${name}"><div class="told"><h3><a href="#${name}"><code>${name}</code></a></h3>${
        schema.description === undefined ? "" : `<p>${inline(schema.description)}</p>`
      }${shapeOf(schema, schemas, name.endsWith("Request") ? "required" : "optional")}</div><div class="shown">${example === undefined ? "" : block("example", json(example))}</div></article>`
    })
    .join("")
}

export function errorSection(schemas: Schemas): string {
  const rows = Object.entries(errors).map(
    ([name, { status, title, hint }]) =>
      `<tr id="error-${name}"><td><code>${name}</code></td><td>${status}</td><td>${escapeHtml(title)}</td><td>${inline(hint)}</td></tr>`,
  )
  const problem = { schema: { $ref: "#/components/schemas/Problem" } }
  return `<article><div class="told"><p>Every error is <code>application/problem+json</code> with <code>type: urn:sandbox-agent:error:&lt;code&gt;</code>: a ${typeOf(problem.schema)}.</p>
<table><thead><tr><th>code</th><th>status</th><th>title</th><th>what to do</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>
<div class="shown">${block("answer", json(schemas.Problem?.examples?.[0]))}</div></article>`
}

export const envelopeTable = (schemas: Schemas): string =>
  tableOf(
    Object.entries(schemas.EventEnvelope?.properties ?? {}).map(([name, schema]) => ({
      name,
      schema,
      required: schemas.EventEnvelope?.required?.includes(name) ?? false,
      description: schema.description,
    })),
    schemas,
    "optional",
  )
