import { createHash } from "node:crypto"
import { buildOpenApi } from "@sandbox-agent/schema/openapi"
import { exampleAddress } from "@sandbox-agent/schema/openapi/code-samples"
import { escapeHtml } from "./page.ts"
import { type Document, type Endpoint, endpointsOf, type Schema } from "./reference/document.ts"
import { endpointSection } from "./reference/endpoint.ts"
import { script } from "./reference/script.ts"
import { envelopeTable, errorSection, eventNames, eventSections, schemaSections } from "./reference/sections.ts"
import { style } from "./reference/style.ts"
import { code, inline } from "./reference/text.ts"

/** The page's own script and style, requests to this daemon, and nothing else. */
export const docsPolicy = [
  "default-src 'none'",
  `script-src 'sha256-${createHash("sha256").update(script).digest("base64")}'`,
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join("; ")

/** The reference with the address that it was asked for at in its examples. */
export const docsAt = (page: string, origin: string): string =>
  page.replaceAll(exampleAddress, escapeHtml(origin.replaceAll(/[<>&"']/g, "")))

/** The reference, made from the OpenAPI document: one section per endpoint, event type, schema and error. Can be read without script. */
export function docsPage(version: string): string {
  const document = buildOpenApi(version) as unknown as Document
  const { tags, components } = document
  const { schemas } = components
  const endpoints = endpointsOf(document)
  const of = (tag: string) => endpoints.filter(({ one }) => one.tags[0] === tag)
  const groups = tags.map(
    ({ name, description }) =>
      `<section><h2 id="${name}">${title(name)}</h2><p>${inline(description)}</p>${of(name)
        .map((endpoint) => endpointSection(endpoint, schemas))
        .join("")}</section>`,
  )
  const nav = [
    ...tags.map(({ name }) => navGroup(title(name), of(name).map(endpointLink), name === "sessions")),
    ...navOfRest(schemas),
  ]
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>API reference · Sandbox Agent</title><style>${style}</style></head><body>
<nav aria-label="Reference"><h1>Sandbox Agent <small>${escapeHtml(version)}</small></h1><input id="search" type="search" class="needs-script" placeholder="Search  /" aria-label="Search">${nav.join("")}</nav>
<main><h1>API reference</h1>${introduction}${groups.join("")}
<section><h2 id="event-types">Event types</h2><p>What a session's log says, in pages or as a stream.</p><article id="envelope"><div class="told"><h3>Around every event</h3>${envelopeTable(schemas)}</div><div class="shown"></div></article>${eventSections(schemas)}</section>
<section><h2 id="schemas">Schemas</h2><p>The parts that requests and answers are made of.</p>${schemaSections(schemas)}</section>
<section><h2 id="errors">Errors</h2><p>The closed list.</p>${errorSection(schemas)}</section></main><script>${script}</script></body></html>`
}

const introduction = `<p>Every endpoint of this daemon, with examples for its own address. The same contract is <a href="/openapi.json">OpenAPI 3.1</a>; the <a href="/ui/">inspector</a> shows what happens.</p>
<p>Every request needs the token that the daemon printed at start, or that <code>sandbox-agent daemon token</code> prints: <code>export SANDBOX_AGENT_TOKEN=…</code>, and the examples run as they are. They use the agent <code>mock</code>, which needs no account. In TypeScript <code>client</code> is <code>new SandboxAgentClient({ baseUrl: "${exampleAddress}", token })</code>.</p>
<p class="needs-script"><label>Token for trying endpoints on this page <input id="token" type="password" autocomplete="off"></label></p>`

const title = (name: string): string => (name === "acp" ? "ACP" : `${name.charAt(0).toUpperCase()}${name.slice(1)}`)

const navGroup = (name: string, links: readonly string[], open = false): string =>
  `<details${open ? " open" : ""}><summary>${name}</summary><ul>${links.join("")}</ul></details>`

/** Found by its path, its words, and the names of what it takes. */
function endpointLink({ method, paths, one }: Endpoint): string {
  const takes = (one.parameters ?? []).map(({ name }) => name)
  const find = [one.operationId, method, ...paths, one.summary, ...takes].join(" ").toLowerCase()
  return `<li><a href="#${one.operationId}" data-find="${escapeHtml(find)}"><b class="${method}">${method === "DELETE" ? "DEL" : method}</b>${escapeHtml(one.summary)}</a></li>`
}

function navOfRest(schemas: Readonly<Record<string, Schema>>): string[] {
  const link = (name: string, shown = name) => {
    const fields = Object.keys(schemas[name]?.properties ?? {}).join(" ")
    return `<li><a href="#${name}" data-find="${`${name} ${shown} ${fields}`.toLowerCase()}">${code(shown)}</a></li>`
  }
  const typeOf = (name: string) => String(schemas[name]?.allOf?.[1]?.properties?.type?.const ?? name)
  return [
    navGroup(
      "Event types",
      [...eventNames].map((name) => link(name, typeOf(name))),
    ),
    navGroup(
      "Schemas",
      Object.keys(schemas)
        .filter((name) => !eventNames.has(name))
        .map((name) => link(name)),
    ),
    '<ul><li><a href="#errors" data-find="errors error codes problem">Errors</a></li></ul>',
  ]
}
