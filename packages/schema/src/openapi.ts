import { z } from "zod"
import { answerOf } from "./contract/answers.ts"
import { contract } from "./contract/contract.ts"
import { errorsOf, type Route } from "./contract/route.ts"
import { type ErrorCode, errors } from "./error.ts"
import { ProblemSchema } from "./problem.ts"

type Json = { [name: string]: unknown }

/** The contract as an OpenAPI 3.1 document. Made on first use: the daemon does not need it to serve. */
export function buildOpenApi(version: string): Json {
  const components: Record<string, Json> = {}
  const paths: Record<string, Record<string, Json>> = {}
  for (const route of Object.values(contract) as Route[])
    for (const path of [route.path, ...(route.alsoAt ?? [])]) {
      paths[path] ??= {}
      paths[path][route.method.toLowerCase()] = operation(route, path, components)
    }
  components.Problem = hoist(ProblemSchema, components, "output")
  return {
    openapi: "3.1.0",
    info: {
      title: "Sandbox Agent",
      version,
      description: "One HTTP API, one event stream and one permission story for every coding agent.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    security: [{ bearer: [] }, { sandboxToken: [] }],
    tags: ["system", "agents", "sessions", "messages", "events", "requests"].map((name) => ({ name })),
    paths,
    components: {
      schemas: components,
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer" },
        sandboxToken: { type: "apiKey", in: "header", name: "x-sandbox-token" },
      },
    },
  }
}

function operation(route: Route, path: string, components: Record<string, Json>): Json {
  const parameters = [
    ...Object.entries(route.params ?? {}).map(([name, schema]) => parameter(name, "path", schema, components)),
    ...Object.entries(route.query ?? {}).map(([name, schema]) => parameter(name, "query", schema, components)),
    ...(route.answer === "sse" && route.method === "GET" ? [lastEventId] : []),
  ]
  return {
    operationId: path === route.path ? route.id : `${route.id}V2`,
    tags: [route.tag],
    summary: route.summary,
    ...(route.description ? { description: route.description } : {}),
    ...(route.open ? { security: [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(route.body
      ? {
          requestBody: {
            required: route.bodyRequired ?? false,
            content: { "application/json": { schema: hoist(route.body, components, "input") } },
          },
        }
      : {}),
    responses: { [route.status]: success(route, components), ...failures(route) },
    "x-cli": `sandbox-agent api ${route.cli.join(" ")}`,
  }
}

const lastEventId = {
  name: "Last-Event-ID",
  in: "header",
  required: false,
  description: "last seen sequence; wins over `offset`",
  schema: { type: "string" },
}

function parameter(name: string, where: "path" | "query", schema: z.ZodType, components: Record<string, Json>): Json {
  const { description, ...shape } = hoist(schema, components, "output")
  const required = where === "path" || !schema.safeParse(undefined).success
  return { name, in: where, required, ...(description ? { description } : {}), schema: shape }
}

function success(route: Route, components: Record<string, Json>): Json {
  const content: Json = {}
  const { response, event } = answerOf(route)
  if (response) content["application/json"] = { schema: hoist(response, components, "output") }
  if (event)
    content["text/event-stream"] = {
      schema: { type: "string", description: "SSE frames; `data` is one event" },
      "x-event": hoist(event, components, "output"),
    }
  if (route.answer === "bytes") content["application/octet-stream"] = { schema: { type: "string", format: "binary" } }
  if (route.answer === "text") content["text/plain"] = { schema: { type: "string" } }
  return { description: route.summary, content }
}

/** Every error the route can give, by status: several codes may share one. */
function failures(route: Route): Json {
  const byStatus = Map.groupBy(errorsOf(route), (code: ErrorCode) => errors[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => [
      status,
      {
        description: group.map((code) => `\`${code}\`: ${errors[code].title}`).join("; "),
        content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
      },
    ]),
  )
}

/** JSON Schema of a Zod schema, its named parts moved to the components. */
function hoist(schema: z.ZodType, components: Record<string, Json>, io: "input" | "output"): Json {
  const {
    $schema: _,
    $defs,
    ...shape
  } = z.toJSONSchema(schema, { io, unrepresentable: "any" }) as Json & { $defs?: Record<string, Json> }
  for (const [name, definition] of Object.entries($defs ?? {})) components[name] ??= rewrite(definition) as Json
  const id = shape.id
  if (typeof id !== "string") return rewrite(shape) as Json
  components[id] ??= rewrite(shape) as Json
  return { $ref: `#/components/schemas/${id}` }
}

function rewrite(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(rewrite)
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).filter(([key, v]) => !(key === "id" && typeof v === "string"))
  return Object.fromEntries(
    entries.map(([key, v]) =>
      key === "$ref" && typeof v === "string"
        ? [key, v.replace("#/$defs/", "#/components/schemas/")]
        : [key, rewrite(v)],
    ),
  )
}
