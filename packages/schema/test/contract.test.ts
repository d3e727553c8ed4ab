import { describe, expect, test } from "vitest"
import { z } from "zod"
import { answerOf } from "../src/contract/answers.ts"
import { contract, routes } from "../src/contract/contract.ts"
import { heads, loadRoute } from "../src/contract/on-demand.ts"
import { errorsOf, type Route } from "../src/contract/route.ts"
import { errors } from "../src/error.ts"

describe("the contract", () => {
  test("routes are known by their ids, and no two answer the same request", () => {
    for (const [id, route] of Object.entries(contract)) expect(route.id).toBe(id)
    const shapes = routes.flatMap((route) =>
      [route.path, ...(route.alsoAt ?? [])].map((path) => `${route.method} ${path.replaceAll(/\{\w+\}/g, "{}")}`),
    )
    expect(new Set(shapes).size).toBe(shapes.length)
  })

  test("each route is loaded from the group that its head names, as it is", async () => {
    for (const [id, { bare, method, paths }] of heads) {
      const route: Route = contract[id]
      expect({ method, paths }, id).toEqual({ method: route.method, paths: [route.path, ...(route.alsoAt ?? [])] })
      const loaded = await loadRoute(id)
      if (bare === undefined) expect(loaded, id).toBe(route)
      else expect(loaded, id).toEqual({ answer: route.answer, status: route.status })
    }
    expect(heads.map(([id]) => id)).toEqual(Object.keys(contract))
  })

  test("commands have words of their own", () => {
    const words = routes.flatMap((route) => [route.cli, ...(route.cliAliases ?? [])].map((parts) => parts.join(" ")))
    expect(new Set(words).size).toBe(words.length)
    for (const word of words) expect(word).toMatch(/^[a-z]+ [a-z-]+$/)
  })

  test("parameters are declared where the path has them", () => {
    for (const route of routes)
      for (const path of [route.path, ...(route.alsoAt ?? [])]) {
        const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1])
        expect(Object.keys(route.params ?? {}), path).toEqual(inPath)
      }
  })

  test("every error a route declares is in the table, once", () => {
    for (const route of routes) {
      expect(new Set(route.errors).size, route.id).toBe(route.errors.length)
      for (const code of errorsOf(route)) expect(errors, route.id).toHaveProperty(code)
    }
  })

  const making = ["createSession", "restoreSession"]
  test("a route that takes a session can say that there is none", () => {
    for (const route of routes.filter((r) => r.path.startsWith("/v1/sessions/{id}") && !making.includes(r.id)))
      expect(route.errors, route.id).toContain("session_not_found")
  })

  test("a route answers with what its kind needs: a schema for JSON, an event for streams, none for bytes", () => {
    for (const route of routes) {
      const { response, event } = answerOf(route)
      expect(response !== undefined, route.id).toBe(/json/.test(route.answer))
      expect(event !== undefined, route.id).toBe(/sse/.test(route.answer))
      if (route.method === "GET") expect(route.body, route.id).toBeUndefined()
      if (route.bodyRequired) expect(route.body, route.id).toBeDefined()
      if (route.cliArgument && (route.body === undefined || route.query?.[route.cliArgument]))
        expect(route.query, route.id).toHaveProperty(route.cliArgument)
      else if (route.cliArgument)
        // Without the names that documents give to schemas: a named one would be a reference here.
        expect(
          z.toJSONSchema(route.body ?? z.never(), { io: "input", metadata: z.registry() }).properties,
          route.id,
        ).toHaveProperty(route.cliArgument)
    }
  })

  test("bodies refuse what they do not know", () => {
    for (const route of routes)
      if (route.body) {
        const body: z.ZodType = route.body
        for (const kind of body instanceof z.ZodDiscriminatedUnion ? body.options : [body]) {
          const found = (kind as z.ZodType).safeParse({ certainlyNotAField: 1 })
          const keys = found.error?.issues.flatMap((issue) => (issue.code === "unrecognized_keys" ? issue.keys : []))
          expect(keys, route.id).toEqual(["certainlyNotAField"])
        }
      }
  })
})
