import { answerOf } from "@sandbox-agent/schema/contract/answers"
import { contract } from "@sandbox-agent/schema/contract/contract"
import { errorsOf, type Route } from "@sandbox-agent/schema/contract/route"
import { errors } from "@sandbox-agent/schema/error"
import { eventData, eventTypes } from "@sandbox-agent/schema/event"
import { z } from "zod"
import { escapeHtml, page } from "./page.ts"

/** The reference, made from the contract: one collapsible section per endpoint and event type, no script, no network. */
export function docsPage(version: string): string {
  const groups = Map.groupBy(Object.values(contract) as Route[], (route) => route.tag)
  const endpoints = [...groups].map(([tag, routes]) => `<h2 id="${tag}">${tag}</h2>${routes.map(endpoint).join("")}`)
  const events = eventTypes.map(
    (type) => `<details><summary><code>${type}</code></summary>${schema(eventData[type])}</details>`,
  )
  const rows = Object.entries(errors).map(
    ([code, e]) =>
      `<tr><td><code>${code}</code></td><td>${e.status}</td><td>${e.title}</td><td>${escapeHtml(e.hint)}</td></tr>`,
  )
  const nav = [...groups.keys(), "event-types", "errors"].map((tag) => `<a href="#${tag}">${tag}</a>`).join(" ")
  return page(
    "API reference",
    `<h1>Sandbox Agent <small>${version}</small></h1><p>HTTP API reference. The same contract as <a href="/openapi.json">OpenAPI 3.1</a>.</p>
<nav>${nav}</nav>${endpoints.join("")}
<h2 id="event-types">Event types</h2>${events.join("")}
<h2 id="errors">Errors</h2><p>Every error is <code>application/problem+json</code> with <code>type: urn:sandbox-agent:error:&lt;code&gt;</code>.</p>
<table><thead><tr><th>code</th><th>status</th><th>title</th><th>what to do</th></tr></thead><tbody>${rows.join("")}</tbody></table>`,
  )
}

function endpoint(route: Route): string {
  const fields = (title: string, shape: Record<string, z.ZodType> | undefined) =>
    shape === undefined
      ? ""
      : `<h4>${title}</h4><ul>${Object.entries(shape)
          .map(([name, type]) => `<li><code>${name}</code> ${escapeHtml(type.description ?? "")}</li>`)
          .join("")}</ul>`
  const codes = errorsOf(route)
    .map((code) => `<code>${code}</code>`)
    .join(" ")
  const { response } = answerOf(route)
  const args = Object.keys(route.params ?? {}).map((name) => `<${name}>`)
  return `<details id="${route.id}"><summary><b class="${route.method}">${route.method}</b> <code>${route.path}</code> <span>${escapeHtml(route.summary)}</span></summary>
${route.description ? `<p>${escapeHtml(route.description)}</p>` : ""}${fields("Path", route.params)}${fields("Query", route.query)}
${route.body ? `<h4>Body</h4>${schema(route.body, "input")}` : ""}
<h4>Answer ${route.status}${route.answer === "sse" ? " (text/event-stream)" : ""}</h4>${response ? schema(response) : ""}
<h4>Errors</h4><p>${codes}</p><h4>CLI</h4><pre>sandbox-agent api ${escapeHtml([...route.cli, ...args].join(" "))}</pre></details>`
}

function schema(type: z.ZodType, io: "input" | "output" = "output"): string {
  const { $schema: _, ...json } = z.toJSONSchema(type, { io, unrepresentable: "any" })
  return `<pre>${escapeHtml(JSON.stringify(json, null, 2))}</pre>`
}
