import { errors } from "@sandbox-agent/schema/error"
import { eventTypes } from "@sandbox-agent/schema/event"
import { buildOpenApi } from "@sandbox-agent/schema/openapi"
import { eventName } from "@sandbox-agent/schema/openapi/unions"
import { escapeHtml, page } from "./page.ts"

type Content = Record<string, { schema: object }>
interface Parameter {
  name: string
  in: string
  description?: string
}
interface Operation {
  operationId: string
  tags: [string]
  summary: string
  description?: string
  parameters?: Parameter[]
  requestBody?: { content: Content }
  responses: Record<string, { description: string; content?: Content }>
  "x-cli"?: string
}
interface Document {
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object> }
}

/** The reference, made from the OpenAPI document: one collapsible section per endpoint, event type and schema; no script, no network. */
export function docsPage(version: string): string {
  const { tags, paths, components } = buildOpenApi(version) as unknown as Document
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => ({ path, method: method.toUpperCase(), one })),
  )
  const endpoints = tags.map(({ name }) => {
    const found = all.filter(({ one }) => one.tags[0] === name)
    return `<h2 id="${name}">${name}</h2>${found.map(({ path, method, one }) => endpoint(path, method, one)).join("")}`
  })
  const events = eventTypes.map(
    (type) => `<li><code>${type}</code> <a href="#${eventName(type)}">${eventName(type)}</a></li>`,
  )
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `<details id="${name}"><summary><code>${name}</code></summary>${json(schema)}</details>`,
  )
  const rows = Object.entries(errors).map(
    ([code, e]) =>
      `<tr><td><code>${code}</code></td><td>${e.status}</td><td>${e.title}</td><td>${escapeHtml(e.hint)}</td></tr>`,
  )
  const nav = [...tags.map(({ name }) => name), "event-types", "schemas", "errors"]
  return page(
    "API reference",
    `<h1>Sandbox Agent <small>${version}</small></h1><p>HTTP API reference. The same contract as <a href="/openapi.json">OpenAPI 3.1</a>.</p>
<nav>${nav.map((name) => `<a href="#${name}">${name}</a>`).join(" ")}</nav>${endpoints.join("")}
<h2 id="event-types">Event types</h2><ul>${events.join("")}</ul>
<h2 id="schemas">Schemas</h2>${schemas.join("")}
<h2 id="errors">Errors</h2><p>Every error is <code>application/problem+json</code> with <code>type: urn:sandbox-agent:error:&lt;code&gt;</code>.</p>
<table><thead><tr><th>code</th><th>status</th><th>title</th><th>what to do</th></tr></thead><tbody>${rows.join("")}</tbody></table>`,
  )
}

function endpoint(path: string, method: string, one: Operation): string {
  const fields = (title: string, where: string) => {
    const found = (one.parameters ?? []).filter((parameter) => parameter.in === where)
    const list = found.map(({ name, description = "" }) => `<li><code>${name}</code> ${escapeHtml(description)}</li>`)
    return list.length === 0 ? "" : `<h4>${title}</h4><ul>${list.join("")}</ul>`
  }
  const answers = Object.entries(one.responses).map(([status, { description, content = {} }]) =>
    Number(status) < 400
      ? `<h4>Answer ${status}</h4>${Object.entries(content).map(typed).join("")}`
      : `<li>${status} ${escapeHtml(description)}</li>`,
  )
  const bad = answers.filter((text) => text.startsWith("<li>"))
  const cli = one["x-cli"] === undefined ? "" : `<h4>CLI</h4><pre>${escapeHtml(commandOf(one["x-cli"], path))}</pre>`
  return `<details id="${one.operationId}"><summary><b class="${method}">${method}</b> <code>${path}</code> <span>${escapeHtml(one.summary)}</span></summary>
${one.description ? `<p>${escapeHtml(one.description)}</p>` : ""}${fields("Path", "path")}${fields("Query", "query")}${fields("Headers", "header")}
${one.requestBody ? `<h4>Body</h4>${Object.entries(one.requestBody.content).map(typed).join("")}` : ""}
${answers.filter((text) => !text.startsWith("<li>")).join("")}<h4>Errors</h4><ul>${bad.join("")}</ul>${cli}</details>`
}

const commandOf = (words: string, path: string): string =>
  [words, ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `<${name}>`)].join(" ")

const typed = ([media, { schema }]: [string, { schema: object }]): string =>
  `<p><code>${media}</code></p>${json(schema)}`

/** A schema, its references as links. */
function json(schema: object): string {
  const text = escapeHtml(JSON.stringify(schema, null, 2))
  return `<pre>${text.replaceAll(/#\/components\/schemas\/(\w+)/g, '<a href="#$1">$1</a>')}</pre>`
}
