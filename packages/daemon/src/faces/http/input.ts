import type { Answering } from "@sandbox-agent/schema/contract/on-demand"
import type { Infer, InferShape, Route, Shape } from "@sandbox-agent/schema/contract/route"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { issuesOf } from "@sandbox-agent/schema/issues"
import type { z } from "zod"
import { readJson } from "./body.ts"

/** What a handler gets: everything checked against the contract. */
export interface Input<R extends Route = Route> {
  params: InferShape<R["params"]>
  query: InferShape<R["query"]>
  body: Infer<R["body"]>
  request: Request
  requestId: string
}

export async function readInput(
  route: Answering,
  request: Request & { params?: Record<string, string> },
  requestId: string,
): Promise<Input> {
  const params = route.params ? check(route.params, request.params ?? {}, "") : {}
  const query = check(route.query ?? {}, queryOf(request.url, Object.keys(route.query ?? {})), "query ")
  let body: unknown
  if (route.body) {
    const given = await readJson(request)
    if (given === undefined && route.bodyRequired)
      throw new SandboxAgentError("invalid_request", "the request needs a JSON body")
    body = parse(route.body, given === undefined ? {} : given, "body")
  }
  return { params, query, body: body as undefined, request, requestId } as Input
}

/** A misspelt name would otherwise be the same as none, and of two values one would be silently lost. */
export function queryOf(url: string, known: readonly string[]): Record<string, string> {
  const at = url.indexOf("?")
  if (at < 0) return {}
  const given: Record<string, string> = {}
  for (const [name = "", value = ""] of pairsIn(url.slice(at + 1))) {
    if (!known.includes(name))
      throw new SandboxAgentError("invalid_request", `query ${name.slice(0, 100)}: ${unknown(known)}`, { known })
    if (Object.hasOwn(given, name)) throw new SandboxAgentError("invalid_request", `query ${name}: given twice`)
    given[name] = value
  }
  return given
}

/** One name with a value that means itself: what most ask, and with every request. */
const PLAIN = /^(\w+)=([\w.-]*)$/

function pairsIn(query: string): Iterable<string[]> {
  const plain = PLAIN.exec(query)
  return plain === null ? new URLSearchParams(query) : [plain.slice(1)]
}

const unknown = (known: readonly string[]): string =>
  known.length === 0 ? "nothing is asked by query here" : `not one of ${known.join(", ")}`

function check(shape: Shape, given: Record<string, string>, where: string): Record<string, unknown> {
  const checked: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(shape)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    const parsed = parse(schema, value, `${where}${name}`)
    if (parsed !== undefined) checked[name] = parsed
  }
  return checked
}

function parse(schema: z.ZodType, value: unknown, where: string): unknown {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issues = issuesOf(result.error)
    .slice(0, 10)
    .map(({ path, message }) => ({ path: [where, ...path.map(String)].join("."), message }))
  const detail = [...new Set(issues.map((issue) => `${issue.path}: ${issue.message}`))].join("; ")
  throw new SandboxAgentError("invalid_request", detail.slice(0, 2_000), { issues })
}
