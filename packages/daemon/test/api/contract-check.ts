import { answerOf } from "@sandbox-agent/schema/contract/answers"
import { routes } from "@sandbox-agent/schema/contract/contract"
import { errorsOf, type Route } from "@sandbox-agent/schema/contract/route"
import { type ErrorCode, errorCodeOfType, errors, type Problem } from "@sandbox-agent/schema/error"
import { type Event, EventSchema } from "@sandbox-agent/schema/event"
import { expect } from "vitest"
import type { z } from "zod"
import type { Answer } from "../harness/api.ts"

/** What may come back where the contract has no route. */
const outside: readonly ErrorCode[] = [
  "not_found",
  "method_not_allowed",
  "token_invalid",
  "permission_denied",
  "unavailable",
]

/** The route a request goes to; a path without parameters wins over one with. */
export function routeOf(method: string, path: string): Route | undefined {
  const segments = path.split("?")[0]?.split("/") ?? []
  const fits = (pattern: string) => {
    const parts = pattern.split("/")
    return parts.length === segments.length && parts.every((part, i) => part.startsWith("{") || part === segments[i])
  }
  const found = routes.filter((r) => r.method === method && [r.path, ...(r.alsoAt ?? [])].some(fits))
  return found.find((r) => !r.path.includes("{")) ?? found[0]
}

/** The value is exactly what the schema says: nothing missing, nothing more. */
export function expectExactly(schema: z.ZodType, value: unknown, where: string): void {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw new Error(`${where} breaks its schema: ${parsed.error.message}\n${JSON.stringify(value)}`)
  // Objects drop what they do not know, so a difference is an undocumented field.
  if (!Bun.deepEquals(parsed.data, value)) expect(parsed.data, `${where} has undocumented fields`).toEqual(value)
}

export function expectEvent(event: Event): Event {
  expectExactly(EventSchema, event, `event ${event.type}`)
  return event
}

/** An error as every client relies on it; returns its code. */
export function expectProblem(answer: Answer<unknown>, code?: ErrorCode): ErrorCode {
  expect(answer.headers.get("content-type")).toBe("application/problem+json")
  const problem = answer.body as Problem
  const found = errorCodeOfType(problem.type)
  if (found === undefined) throw new Error(`unknown problem type ${problem.type}`)
  if (code !== undefined) expect(found, problem.detail).toBe(code)
  const { status, title } = errors[found]
  expect(problem).toMatchObject({ type: `urn:sandbox-agent:error:${found}`, title, status })
  expect(answer.status).toBe(status)
  expect(problem.detail).toEqual(expect.stringMatching(/\S/))
  expect(problem.hint).toEqual(expect.stringMatching(/\S/))
  expect(problem.requestId).toMatch(/^req_\w+$/)
  return found
}

/** Checks any answer against the route it came from; gives the route's id when it was a good one. */
export function expectAnswer(method: string, path: string, answer: Answer<unknown>): string | undefined {
  const route = routeOf(method, path)
  const where = `${method} ${path} (${answer.status})`
  if (answer.status >= 400) {
    const code = expectProblem(answer)
    const declared = route === undefined ? outside : errorsOf(route)
    expect(declared, `${where}: ${code} is not declared`).toContain(code)
    return undefined
  }
  if (route === undefined) throw new Error(`${where} is served and not in the contract`)
  if (route.otherStatuses?.[answer.status] !== undefined) return
  expect(answer.status, where).toBe(route.status)
  const { response } = answerOf(route)
  if (route.answer === "json" && response !== undefined) {
    expect(answer.headers.get("content-type"), where).toMatch(/^application\/json/)
    expectExactly(response, answer.body, where)
  }
  if (route.answer === "bytes" && route.mediaTypes !== undefined)
    expect(route.mediaTypes, where).toContain(answer.headers.get("content-type"))
  return route.id
}
