import { describe, expect, test } from "vitest"
import { routes } from "../src/contract/contract.ts"
import { buildOpenApi } from "../src/openapi.ts"

interface Parameter {
  name: string
  in: string
  required: boolean
  schema: object
}
interface Operation {
  operationId: string
  summary: string
  tags: string[]
  security?: unknown[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Record<string, { schema: object }> }
  responses: Record<string, { description: string; content: Record<string, { schema: object }> }>
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
        if (parameter.in !== "path") expect(parameter.required, where).toBe(false)
      }
  })

  test("every operation has one good answer with content, and its errors as problems", () => {
    for (const { path, operation } of operations) {
      const good = Object.keys(operation.responses).filter((status) => Number(status) < 400)
      expect(good.length, path).toBe(1)
      for (const [status, response] of Object.entries(operation.responses)) {
        expect(response.description, `${path} ${status}`).toMatch(/\S/)
        const types = Object.keys(response.content)
        if (Number(status) >= 400) expect(types, `${path} ${status}`).toEqual(["application/problem+json"])
        else expect(types.length, path).toBeGreaterThan(0)
      }
      if (operation.requestBody)
        expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(["413", "415"]))
      if (operation.security?.length === 0) expect(operation.responses).not.toHaveProperty("401")
      else expect(operation.responses).toHaveProperty("401")
    }
  })

  test("has every route of the contract at every path", () => {
    const told = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`)
    const declared = routes.flatMap((route) =>
      [route.path, ...(route.alsoAt ?? [])].map((path) => `${route.method} ${path}`),
    )
    expect(told.sort()).toEqual(declared.sort())
  })
})
