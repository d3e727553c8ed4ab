import { exampleAddress } from "@sandbox-agent/schema/openapi/code-samples"
import { escapeHtml } from "../page.ts"
import { type Content, type Endpoint, nameOf, type Operation, type Schema } from "./document.ts"
import { type Marks, shapeOf, tableOf } from "./fields.ts"
import { block, code, inline, json } from "./text.ts"

type Schemas = Readonly<Record<string, Schema>>
const places = [
  ["Path", "path"],
  ["Query", "query"],
  ["Headers", "header"],
] as const

/** What it takes and answers on the left, how it looks on the right. */
export function endpointSection({ method, paths, one }: Endpoint, schemas: Schemas): string {
  const [path = "", ...others] = paths
  const { operationId: id, summary, description, parameters = [], requestBody } = one
  const tables = places.map(([title, where]) => {
    const fields = parameters.filter((parameter) => parameter.in === where)
    return fields.length === 0 ? "" : `<h4>${title}</h4>${tableOf(fields, schemas, "required")}`
  })
  const body = requestBody === undefined ? "" : `<h4>Body</h4>${contentOf(requestBody.content, schemas, "required")}`
  return `<article id="${id}"><div class="told"><h3><a href="#${id}">${escapeHtml(summary)}</a></h3>
<p class="path"><b class="${method}">${method}</b> ${code(path)}${one.security?.length === 0 ? ' <span class="open">no token needed</span>' : ""}</p>
${description === undefined ? "" : `<p>${inline(description)}</p>`}${
  others.length === 0 ? "" : `<p>Also at ${others.map(code).join(", ")}.</p>`
}${tables.join("")}${body}${answers(one, schemas)}${errorsOf(one)}</div>
<div class="shown">${examples(method, path, one)}</div></article>`
}

function contentOf(content: Content, schemas: Schemas, marks: Marks): string {
  return Object.entries(content)
    .map(([media, { schema }]) => {
      const shape = schema.format === "binary" ? "<p>bytes</p>" : shapeOf(schema, schemas, marks)
      return media === "application/json" ? shape : `<p>${code(media)}</p>${shape}`
    })
    .join("")
}

/** A whole part that has a section of its own is told there. */
const isLong = ({ $ref }: Schema, schemas: Schemas): boolean =>
  $ref !== undefined && Object.keys(schemas[nameOf($ref)]?.properties ?? {}).length > 12

function answers({ responses }: Operation, schemas: Schemas): string {
  const good = Object.entries(responses).filter(([status]) => Number(status) < 400)
  return good
    .map(([status, { description, content }]) => {
      if (content === undefined) return `<h4>Answer ${status}</h4><p>${inline(description)}</p>`
      const long = Object.values(content).some(({ schema }) => isLong(schema, schemas))
      const shape = contentOf(content, schemas, "optional")
      return `<h4>Answer ${status}</h4>${long ? `<details><summary>fields</summary>${shape}</details>` : shape}`
    })
    .join("")
}

function errorsOf({ responses }: Operation): string {
  const bad = Object.entries(responses).filter(([status]) => Number(status) >= 400)
  const links = bad.flatMap(([status, { description }]) =>
    [...description.matchAll(/`(\w+)`/g)].map(
      ([, name = ""]) => `<a href="#error-${name}">${status} ${code(name)}</a>`,
    ),
  )
  return `<h4>Errors</h4><p class="errors">${links.join(" ")}</p>`
}

function examples(method: string, path: string, one: Operation): string {
  const samples = (one["x-codeSamples"] ?? []).map(({ label, source }) => block(label, source))
  const words = [one["x-cli"]?.replace(" api", ""), ...[...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => `<${name}>`)]
  const cli = one["x-cli"] === undefined ? "" : block("command line", words.join(" "))
  const [good] = Object.entries(one.responses).filter(([status]) => Number(status) < 400)
  const shown = Object.entries(good?.[1].content ?? {}).map(([media, { example }]) => {
    if (media === "text/event-stream") return block(`${good?.[0]} ${media}`, `data: ${JSON.stringify(example)}\n`)
    return /json/.test(media) ? block(`${good?.[0]} answer`, json(example)) : ""
  })
  return [...samples, cli, method === "GET" ? runner(one) : "", ...shown].join("")
}

/** Reading can be tried here, with what is typed; nothing can be changed by it. */
function runner({ responses, "x-codeSamples": samples = [] }: Operation): string {
  const media = Object.keys(responses["200"]?.content ?? {})
  if (!media.some((type) => type === "application/json" || type === "text/plain")) return ""
  const [, address = ""] = /"([^"]+)"/.exec(samples[0]?.source ?? "") ?? []
  const path = escapeHtml(address.replace(exampleAddress, ""))
  return `<form class="run"><label>GET <input value="${path}" aria-label="path" spellcheck="false"><button>Run</button></label><pre tabindex="0" hidden></pre></form>`
}
