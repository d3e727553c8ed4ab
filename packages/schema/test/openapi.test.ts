import { createConfig, lintFromString } from "@redocly/openapi-core"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { answerOf } from "../src/contract/answers.ts"
import { routes } from "../src/contract/contract.ts"
import { mounted, terminalSockets } from "../src/contract/mounted.ts"
import { EventSchema, eventTypes } from "../src/event.ts"
import { GlobalEventSchema, globalEventTypes } from "../src/global-event.ts"
import { examples } from "../src/openapi/examples.ts"
import { names } from "../src/openapi/names.ts"
import { eventName } from "../src/openapi/unions.ts"
import { buildOpenApi } from "../src/openapi.ts"

type Content = Record<string, { schema: object }>
interface Parameter {
  name: string
  in: string
  required: boolean
  description?: string
  schema: object
  example?: unknown
}
interface Shape {
  description?: string
  properties?: Record<string, Shape>
  allOf?: Shape[]
  anyOf?: Shape[]
  oneOf?: Shape[]
  items?: unknown
  additionalProperties?: unknown
}
interface Operation {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  security?: unknown[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Record<string, { schema: object }> }
  responses: Record<string, { description: string; content?: Record<string, { schema: object }> }>
}
interface Document {
  openapi: string
  info: { title: string; version: string }
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object>; securitySchemes: Record<string, object> }
  security: Record<string, unknown>[]
}

const document = JSON.parse(JSON.stringify(buildOpenApi("1.2.3"))) as Document
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

/** Every value of one key, anywhere in the document. */
function valuesOf(key: string, value: unknown): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => valuesOf(key, item))
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, item]) => [...(name === key ? [item] : []), ...valuesOf(key, item)])
}

describe("the OpenAPI document", () => {
  test("says what it is", () => {
    expect(document).toMatchObject({ openapi: "3.1.0", info: { title: "Sandbox Agent", version: "1.2.3" } })
    expect(Object.keys(document.components.securitySchemes)).toEqual(
      document.security.flatMap((entry) => Object.keys(entry)),
    )
  })

  test("every reference leads somewhere, and every component is used", () => {
    const refs = new Set(valuesOf("$ref", document))
    expect(refs.size).toBeGreaterThan(10)
    const known = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`)
    for (const ref of refs) expect(known).toContain(ref)
    expect(known.filter((ref) => !refs.has(ref))).toEqual([])
  })

  test("component names are ones every generator takes", () => {
    for (const name of Object.keys(document.components.schemas)) expect(name).toMatch(/^[A-Za-z0-9._-]+$/)
  })

  test("nothing of JSON Schema's own bookkeeping is left in it", () => {
    for (const key of ["$schema", "$defs", "$id"]) expect(valuesOf(key, document)).toEqual([])
  })

  test("operations have ids of their own, and a tag that is declared", () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const tags = document.tags.map((tag) => tag.name)
    for (const { operation } of operations) {
      expect(operation.operationId).toMatch(/^[a-z][A-Za-z0-9]*$/)
      expect(operation.summary).toMatch(/\S/)
      for (const tag of operation.tags) expect(tags).toContain(tag)
    }
  })

  test("path parameters are declared, required, and no other", () => {
    for (const { path, operation } of operations) {
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
      const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === "path")
      expect(declared.map((parameter) => parameter.name)).toEqual(inPath)
      expect(declared.every((parameter) => parameter.required)).toBe(true)
    }
  })

  test("every parameter has a type a generator can use", () => {
    for (const { path, operation } of operations)
      for (const parameter of operation.parameters ?? []) {
        const where = `${path} ${parameter.name}`
        expect(Object.keys(parameter.schema), where).toEqual(
          expect.arrayContaining([expect.stringMatching(/^(type|enum|\$ref|anyOf)$/)]),
        )
        // Only files, and directories that something is configured for, are named by query.
        if (parameter.in !== "path" && !/\/(fs|config)\//.test(path)) expect(parameter.required, where).toBe(false)
      }
  })

  test("every operation has one good answer with content, and its errors as problems", () => {
    for (const { path, method, operation } of operations.filter(({ operation }) => !operation.tags.includes("acp"))) {
      const good = Object.keys(operation.responses).filter((status) => Number(status) < 400)
      expect(good.filter((status) => !["206", "304"].includes(status)).length, path).toBe(1)
      for (const [status, response] of Object.entries(operation.responses)) {
        expect(response.description, `${path} ${status}`).toMatch(/\S/)
        const types = Object.keys(response.content ?? {})
        if (Number(status) >= 400) expect(types, `${path} ${status}`).toEqual(["application/problem+json"])
        else
          expect(types.length > 0, `${method} ${path}`).toBe(
            method !== "head" && !["101", "204", "304"].includes(status),
          )
      }
      if (operation.requestBody?.content["application/json"])
        expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(["413", "415"]))
      if (operation.security?.length === 0) expect(operation.responses).not.toHaveProperty("401")
      else expect(operation.responses).toHaveProperty("401")
    }
  })

  test("has every route of the contract at every path", () => {
    const reported = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`)
    const declared = [...routes, ...mounted, ...terminalSockets].flatMap((route) =>
      [route.path, ...(route.alsoAt ?? [])].map((path) => `${route.method} ${path}`),
    )
    expect(reported.sort()).toEqual(declared.sort())
  })

  test("every request body has a name and an example", () => {
    for (const { path, operation } of operations) {
      if (operation.requestBody === undefined || operation.tags.includes("acp")) continue
      if (operation.requestBody.content["application/json"] === undefined) continue
      const schema: { $ref?: string } = operation.requestBody.content["application/json"]?.schema ?? {}
      const name = schema.$ref?.split("/").at(-1) ?? ""
      expect(name, path).toMatch(/Request$/)
      expect((document.components.schemas[name] as { examples?: unknown[] }).examples?.length, name).toBeGreaterThan(0)
    }
  })

  test("everything is described: every operation, parameter, part and field", () => {
    const silent: string[] = []
    const look = (where: string, value: unknown): void => {
      const { properties = {}, allOf = [], anyOf = [], oneOf = [], items, additionalProperties } = value as Shape
      for (const [name, field] of Object.entries(properties)) {
        if (field.description === undefined) silent.push(`${where}.${name}`)
        look(`${where}.${name}`, field)
      }
      for (const part of [...allOf, ...anyOf, ...oneOf]) look(where, part)
      for (const part of [items, additionalProperties]) if (typeof part === "object") look(`${where}[]`, part)
    }
    for (const [name, schema] of Object.entries(document.components.schemas) as [string, Shape][]) {
      if (schema.description === undefined) silent.push(name)
      look(name, schema)
    }
    for (const { operation } of operations) {
      const { operationId, description, parameters = [], requestBody, responses } = operation
      if (description === undefined) silent.push(operationId)
      for (const parameter of parameters) if (!parameter.description) silent.push(`${operationId} ${parameter.name}`)
      const contents = [requestBody?.content ?? {}, ...Object.values(responses).map(({ content = {} }) => content)]
      for (const { schema } of contents.flatMap((content) => Object.values(content))) look(operationId, schema)
    }
    expect(silent).toEqual([])
  })

  test("every operation has an example of each thing it takes and answers, and it fits", () => {
    for (const { operation } of operations) {
      const { operationId, parameters = [], requestBody, responses } = operation
      for (const parameter of parameters) expect(parameter, operationId).toHaveProperty("example")
      const good = Object.entries(responses).filter(([status]) => Number(status) < 400)
      for (const content of [requestBody?.content ?? {}, ...good.map(([, answer]) => answer.content ?? {})])
        for (const shown of Object.values(content)) expect(shown, operationId).toHaveProperty("example")
    }
    for (const route of routes) {
      const found = operations.find(({ operation }) => operation.operationId === route.id)?.operation
      const shown = (content: Content | undefined, media: string) =>
        (content?.[media] as { example?: unknown })?.example
      const { response, event } = answerOf(route)
      const answer = found?.responses[route.status]?.content
      for (const [schema, example] of [
        [route.body, shown(found?.requestBody?.content, "application/json")],
        [response, shown(answer, "application/json")],
        [event, shown(answer, "text/event-stream")],
      ] as const)
        if (schema !== undefined) expect(schema.safeParse(example), route.id).toMatchObject({ success: true })
      for (const { name, example } of found?.parameters ?? []) {
        const schema = route.params?.[name] ?? route.query?.[name]
        const text = typeof example === "string" ? example : JSON.stringify(example)
        if (schema !== undefined) expect(schema.safeParse(text), `${route.id} ${name}`).toMatchObject({ success: true })
      }
    }
  })

  test("a strict linter finds nothing, but that a WebSocket has no answer in the two hundreds", async () => {
    const config = await createConfig({ extends: ["recommended-strict"] })
    const found = await lintFromString({ source: JSON.stringify(document), absoluteRef: "openapi.json", config })
    expect(found.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`)).toEqual(
      Object.entries(document.paths)
        .filter(([, { get }]) => get?.responses["101"] !== undefined)
        .map(([path]) => `operation-2xx-response #/paths/${path.replaceAll("/", "~1")}/get/responses`),
    )
  })

  test("every example is what its schema says, nothing more", () => {
    const types: [string, z.ZodType][] = [
      ...Object.entries(names),
      ...eventTypes.map((type): [string, z.ZodType] => [eventName(type), EventSchema]),
      ...globalEventTypes.map((type): [string, z.ZodType] => [eventName(type, "Global"), GlobalEventSchema]),
    ]
    for (const [name, shown] of Object.entries(examples))
      for (const example of shown) {
        const schema = types.find(([known]) => known === name)?.[1] ?? z.never()
        expect(schema.safeParse(example).data, name).toEqual(example)
        expect(document.components.schemas[name], name).toMatchObject({ examples: shown })
      }
  })

  test.each([
    { name: "Event", types: eventTypes, prefix: "" },
    { name: "GlobalEvent", types: globalEventTypes, prefix: "Global" },
  ])("$name is a union that its type decides, one named schema with an example for each", ({ name, types, prefix }) => {
    const mapping = Object.fromEntries(types.map((type) => [type, `#/components/schemas/${eventName(type, prefix)}`]))
    expect(document.components.schemas[name]).toMatchObject({
      oneOf: Object.values(mapping).map(($ref) => ({ $ref })),
      discriminator: { propertyName: "type", mapping },
    })
    for (const type of types) expect(examples[eventName(type, prefix)]).toMatchObject([{ type }])
  })

  test("every union of named parts says what decides it", () => {
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      const { oneOf, discriminator } = schema as {
        oneOf?: { $ref: string }[]
        discriminator?: { mapping: Record<string, string> }
      }
      if (oneOf === undefined) continue
      expect(Object.values(discriminator?.mapping ?? {}), name).toEqual(oneOf.map(({ $ref }) => $ref))
      expect(discriminator?.mapping, name).not.toHaveProperty("undefined")
    }
  })

  test("nothing is told twice: no two inline objects are alike", () => {
    const seen = new Map<string, number>()
    const look = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return
      const { properties } = value as { properties?: object }
      if (properties !== undefined && Object.keys(properties).length > 1) {
        const text = JSON.stringify(properties)
        seen.set(text, (seen.get(text) ?? 0) + 1)
      }
      for (const [key, inner] of Object.entries(value)) if (key !== "examples") look(inner)
    }
    look(document)
    // What a session has open is told of it, and as an event.
    const pending = JSON.stringify({ permissions: { type: "integer" }, questions: { type: "integer" } })
    expect([...seen].filter(([text, times]) => times > 1 && text !== pending)).toEqual([])
  })

  test("streams tell what their events are, pages that they are pages", () => {
    const typeOf = (path: string, method: string, media: string) =>
      document.paths[path]?.[method]?.responses[200]?.content?.[media]?.schema
    for (const [path, method, name] of [
      ["/v1/sessions/{id}/events/sse", "get", "Event"],
      ["/v1/sessions/{id}/messages/stream", "post", "Event"],
      ["/v1/events/sse", "get", "GlobalEvent"],
      ["/v1/agents/{agent}/install", "post", "InstallEvent"],
      ["/v1/acp/{serverId}", "get", "AcpMessage"],
    ] as const)
      expect(typeOf(path, method, "text/event-stream"), path).toEqual({ $ref: `#/components/schemas/${name}` })
    expect(typeOf("/docs", "get", "text/html")).toEqual({ type: "string" })
    expect(typeOf("/metrics", "get", "text/plain")).toEqual({ type: "string" })
  })
})
