import type { z } from "zod"
import { answerOf } from "../contract/answers.ts"
import { errorsOf, type Route } from "../contract/route.ts"
import { type ErrorCode, errors } from "../error.ts"
import { type Components, type Json, refTo } from "./components.ts"
import { unionOf } from "./unions.ts"

/** One endpoint of the contract as OpenAPI has it. */
export function operation(route: Route, path: string, components: Components): Json {
  const parameters = [
    ...Object.entries(route.params ?? {}).map(([name, schema]) => parameter(name, "path", schema, components)),
    ...Object.entries(route.query ?? {}).map(([name, schema]) => parameter(name, "query", schema, components)),
    ...(route.answer === "sse" && route.method === "GET"
      ? [headerParameter("Last-Event-ID", "last seen sequence; wins over `offset`")]
      : []),
    ...Object.entries(route.headers ?? {}).map(([name, description]) => headerParameter(name, description)),
  ]
  return {
    operationId: path === route.path ? route.id : `${route.id}V2`,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    ...(route.open ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.bodyBytes
      ? {
          requestBody: {
            required: true,
            content: { [route.bodyBytes]: { schema: { type: "string", format: "binary" } } },
          },
        }
      : {}),
    ...(route.body
      ? {
          requestBody: {
            required: route.bodyRequired ?? false,
            content: { "application/json": { schema: components.of(route.body, "input") } },
          },
        }
      : {}),
    responses: { ...successes(route, components), ...failures(errorsOf(route)) },
    "x-cli": `sandbox-agent api ${route.cli.join(" ")}`,
  }
}

export const headerParameter = (name: string, description: string): Json => ({
  name,
  in: "header",
  required: false,
  description,
  schema: { type: "string" },
})

export function parameter(name: string, where: "path" | "query", schema: z.ZodType, components: Components): Json {
  const { description, ...shape } = components.of(schema, "output")
  const required = where === "path" || !schema.safeParse(undefined).success
  return { name, in: where, required, ...(description ? { description } : {}), schema: shape }
}

const media = { text: "text/plain", html: "text/html" } as const

/** One that is not modified has no body; the others have that of the usual one. */
function successes(route: Route, components: Components): Json {
  const usual = success(route, components)
  const others = Object.entries(route.otherStatuses ?? {}).map(([status, description]) => [
    status,
    status === "304" || route.answer === "headers" ? { description } : { ...usual, description },
  ])
  return { [route.status]: usual, ...Object.fromEntries(others) }
}

function success(route: Route, components: Components): Json {
  const content: Json = {}
  const { response, event } = answerOf(route)
  if (response) content["application/json"] = { schema: components.of(response, "output") }
  if (event) content["text/event-stream"] = { schema: unionOf(event) ?? components.of(event, "output") }
  if (route.answer === "bytes")
    for (const type of route.mediaTypes ?? ["*/*"]) content[type] = { schema: { type: "string", format: "binary" } }
  if (route.answer === "text" || route.answer === "html") content[media[route.answer]] = { schema: { type: "string" } }
  const what =
    event === undefined ? route.summary : `${route.summary}. Of the stream, the schema is that of one \`data\`.`
  return route.answer === "none" ? { description: what } : { description: what, content }
}

/** Every error that can come, by status: several codes may share one. */
export function failures(codes: readonly ErrorCode[]): Json {
  const byStatus = Map.groupBy(codes, (code: ErrorCode) => errors[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\`: ${errors[code].title}`).join("; "),
        content: { "application/problem+json": { schema: refTo("Problem") } },
      },
    ]),
  )
}
