import { buildOpenApi } from "@sandbox-agent/schema/openapi"
import { version } from "../../packages/daemon/src/cli/version.ts"
import {
  type Content,
  type Document,
  type Endpoint,
  endpointsOf,
  nameOf,
  type Schema,
} from "../../packages/daemon/src/faces/pages/reference/document.ts"
import { escapeMdx } from "./head.ts"
import { table } from "./table.ts"

const document = (): Document => buildOpenApi(version) as unknown as Document
const json = (value: unknown, title = ""): string =>
  `\`\`\`json ${title}\n${JSON.stringify(value, null, 2)}\n\`\`\``.replace("json \n", "json\n")
const fold = (summary: string, ...parts: string[]): string =>
  `<details>\n<summary>${summary}</summary>\n\n${parts.filter((part) => part !== "").join("\n\n")}\n\n</details>`

/** A type in a few words, for a cell of a table. */
function typeOf({
  $ref,
  const: fixed,
  enum: values,
  items,
  oneOf,
  anyOf,
  allOf,
  type,
  additionalProperties,
}: Schema): string {
  if ($ref !== undefined) return nameOf($ref)
  if (fixed !== undefined) return `\`${JSON.stringify(fixed)}\``
  if (values !== undefined) return values.map((value) => `\`${JSON.stringify(value)}\``).join(", ")
  const parts = oneOf ?? anyOf ?? allOf
  if (parts !== undefined) return [...new Set(parts.map(typeOf))].join(" or ")
  if (items !== undefined) return `list of ${typeOf(items)}`
  if (typeof additionalProperties === "object") return `map to ${typeOf(additionalProperties)}`
  return type === undefined ? "any JSON" : [type].flat().join(" or ")
}

/** What stands in a cell: no pipe, no tag and no brace of MDX outside of code. */
const cell = (text: string): string => escapeMdx(text).replaceAll("|", "\\|")

const fields = ({ properties = {}, required = [] }: Schema): string => {
  const rows = Object.entries(properties).map(([name, field]) => [
    `\`${name}\``,
    `${cell(typeOf(field))}${required.includes(name) ? "" : ", optional"}`,
    cell(field.description ?? ""),
  ])
  return rows.length === 0 ? "" : table(["field", "type", "meaning"], rows)
}

/** A section for each type of event: what it means, the fields of its data, one as it is sent. */
export function eventTypes(): string {
  const { schemas } = document().components
  const union = schemas.Event as unknown as { discriminator: { mapping: Record<string, string> } }
  return Object.entries(union.discriminator.mapping)
    .map(([type, ref]) => {
      const { description = "", allOf = [], examples = [] } = schemas[nameOf(ref)] ?? {}
      const data = allOf[1]?.properties?.data ?? {}
      const named =
        data.$ref === undefined ? "" : `\`data\` is a ${nameOf(data.$ref)}, [below](#what-events-are-about).`
      return fold(`<code>${type}</code>: ${escapeMdx(description)}`, named || fields(data), json(examples[0], "Event"))
    })
    .join("\n\n")
}

const parts = [
  ...["Item", "TextPart", "JsonPart", "ToolCallPart", "ToolResultPart", "FileRefPart", "ImagePart", "ReasoningPart"],
  ...["StatusPart", "Permission", "PermissionDetail", "Question", "QuestionPart", "Usage", "PlanEntry", "TurnError"],
]

/** A section for each thing that events are about. */
export function eventParts(): string {
  const { schemas } = document().components
  return parts
    .map((name) => {
      const schema = schemas[name] ?? {}
      return fold(
        `<code>${name}</code>: ${escapeMdx(schema.description ?? "")}`,
        fields(schema),
        json(schema.examples?.[0], name),
      )
    })
    .join("\n\n")
}

/** A section for each endpoint: what it does, with curl, and what it answers. */
export function endpoints(): string {
  const whole = document()
  const all = endpointsOf(whole)
  return whole.tags
    .map(({ name, description }) => {
      const found = all.filter(({ one }) => one.tags[0] === name).map(endpoint)
      return [
        `### ${name === "acp" ? "ACP" : name.charAt(0).toUpperCase() + name.slice(1)}`,
        description,
        ...found,
      ].join("\n\n")
    })
    .join("\n\n")
}

function endpoint({ method, paths, one }: Endpoint): string {
  const curl = one["x-codeSamples"]?.[0]?.source ?? ""
  const [good] = Object.entries(one.responses).filter(([status]) => Number(status) < 400)
  return fold(
    `<code>${method} ${escapeMdx(paths[0] ?? "")}</code>: ${escapeMdx(one.summary)}`,
    one.description === undefined ? "" : cell(one.description).replaceAll("\\|", "|"),
    `\`\`\`sh not-run="the test of the reference runs it"\n${curl}\n\`\`\``,
    ...answers(good?.[1].content ?? {}),
  )
}

const answers = (content: Content): string[] =>
  Object.entries(content).flatMap(([media, { example }]) => (/json|event-stream/.test(media) ? [json(example)] : []))
