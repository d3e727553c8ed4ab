import { errors, SandboxAgentError } from "@sandbox-agent/schema/error"
import { callJson } from "./client.ts"
import { didYouMean } from "./closest.ts"
import type { Connection } from "./connection.ts"
import { listed } from "./hints.ts"

/** What was asked for by a name that is nobody's, and where the names are. */
const lists = {
  session_not_found: { field: "sessionId", path: "/v1/sessions", query: { limit: "200" }, of: "sessions" },
  unsupported_agent: { field: "agent", path: "/v1/agents", query: {}, of: "agents" },
} as const

/** The same error with the name that was most likely meant. */
export async function withSuggestion(error: unknown, connection: Connection): Promise<unknown> {
  if (!SandboxAgentError.is(error) || !Object.hasOwn(lists, error.code)) return error
  const { field, path, query, of } = lists[error.code as keyof typeof lists]
  const name = error.context[field]
  if (typeof name !== "string") return error
  try {
    const request = { method: "GET", path, query: new URLSearchParams(query) } as const
    const answer = await callJson<Record<string, { id: string }[]>>(connection, request)
    const ids = (answer[of] ?? []).map(({ id }) => id)
    const all = of === "agents" ? { agents: ids } : {}
    return new SandboxAgentError(error.code, `${error.detail}${didYouMean(name, ids)}`, { ...error.context, ...all })
  } catch {
    // The error itself is what counts.
    return error
  }
}

/** Of a request that is wrong as it was written: the page that tells how it is meant. */
export function withHelp(error: unknown, command: readonly string[]): unknown {
  if (!SandboxAgentError.is(error) || error.code !== "invalid_request") return error
  const { hint = errors.invalid_request.hint } = error.context
  if (hint !== errors.invalid_request.hint || listed(error.context) !== undefined) return error
  const help = `see \`${["sandbox-agent help", ...command].join(" ")}\``
  return new SandboxAgentError(error.code, error.detail, { ...error.context, hint: help })
}
