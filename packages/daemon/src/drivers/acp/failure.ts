import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { TurnError } from "@sandbox-agent/schema/event"
import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import { NotSupported } from "../../core/driver.ts"
import { at, type Json, list, record, text } from "../shared/json.ts"
import { RpcError, type RpcFailure, rpcCodes } from "./peer.ts"

/** What the agent says of an error, its details included. */
export function wordsOf({ message, data }: RpcFailure): string {
  const details =
    text(data) ?? text(at(data, "details")) ?? text(at(data, "message")) ?? text(at(data, "error", "message"))
  if (details === undefined || message.includes(details)) return message
  return /^internal error$/i.test(message) ? details : `${message}: ${details}`
}

/** How a turn ends that the agent answered with an error. */
export function turnErrorOf(failure: RpcFailure, login: string): TurnError {
  const message = wordsOf(failure)
  if (failure.code === rpcCodes.authRequired) return { code: "authentication_failed", message: `${message}. ${login}` }
  const refused = providerError(message)
  if (refused !== undefined) return { code: "invalid_request", message: refused }
  return { code: failure.code === rpcCodes.notFound ? "not_found" : "agent_error", message }
}

/** Of a request that the model refused Codex tells the whole body of the answer. */
function providerError(message: string): string | undefined {
  if (!message.startsWith("{")) return undefined
  try {
    return text(at(parseOfAgent(message), "error", "message"))
  } catch {
    return undefined // it only looks like one
  }
}

/** Requests that begin with finding a session: only of these does "no such session" mean that. */
const finding = new Set(["session/load", "session/resume", "session/fork"])

/** The code says it. Gemini and Qwen have other codes for a session they do not know, so there the words count as well. */
function isNotFound(failure: RpcFailure, method: string): boolean {
  if (failure.code === rpcCodes.notFound) return true
  const vague = failure.code === rpcCodes.invalidParams || failure.code === rpcCodes.internal
  return (
    vague &&
    finding.has(method) &&
    /(session|conversation)\b.*\bnot found|no (such )?(session|conversation)/i.test(wordsOf(failure))
  )
}

/** Without these it is no agent, whatever it was asked for. */
const required = ["initialize", "session/new", "session/prompt"]

/** An answer of the agent as the core knows errors; anything else stays as it is. */
export function typed(error: unknown, agent: string, name: string, login: string): unknown {
  if (!(error instanceof RpcError)) return error
  const { failure, method } = error
  const words = `${name}: ${wordsOf(failure)}`
  if (failure.code === rpcCodes.authRequired)
    return new SandboxAgentError("unavailable", `${words}. ${login}`, { agent, hint: login })
  if (failure.code === rpcCodes.methodNotFound && !required.includes(method))
    return new NotSupported(`${name} does not serve ${method}`, { agent })
  if (isNotFound(failure, method)) return new SandboxAgentError("not_found", words, { agent })
  if (failure.code === rpcCodes.invalidParams) return new SandboxAgentError("invalid_request", words, { agent })
  return new SandboxAgentError("unavailable", words, { agent, method, hint: ownWords })
}

/** Of an error that nobody knows but the agent. */
export const ownWords =
  "These are the agent's own words. What it reads when it starts may be the cause: its settings, the user's or the directory's."

/** What a person has to do before the agent works, from the ways it says it can be logged in. */
export function loginHint(authMethods: unknown, command: readonly string[], env: readonly string[]): string {
  const methods = list(authMethods).map(record)
  const variables = [...new Set([...env, ...methods.flatMap(variablesOf)])]
  const terminal = methods.find((method) => method.type === "terminal" || at(method, "_meta", "type") === "terminal")
  const ways = methods.flatMap((method) => text(method.name) ?? text(method.id) ?? [])
  const parts = [
    ...(variables.length > 0 ? [`set ${variables.join(" or ")} for the daemon or in the session's env`] : []),
    `run \`${loginCommand(command, terminal)}\` once on this machine and log in`,
  ]
  return `To log in, ${parts.join(", or ")}${ways.length > 0 ? ` (it offers: ${ways.join(", ")})` : ""}`
}

function variablesOf(method: Json): string[] {
  const listed = list(method.vars).flatMap((one) => text(record(one).name) ?? [])
  const named = /`([A-Z][A-Z0-9_]*_(?:KEY|TOKEN))`/.exec(text(method.description) ?? "")?.[1]
  return [...listed, ...(named === undefined ? [] : [named])]
}

function loginCommand(command: readonly string[], terminal: Json | undefined): string {
  const args = list(terminal?.args ?? at(terminal, "_meta", "args")).flatMap((word) => text(word) ?? [])
  return [...command, ...args].join(" ")
}
