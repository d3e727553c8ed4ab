import type { StopReason, TurnError } from "@sandbox-agent/schema/event"
import { codeOfStatus, type FailureCode } from "../shared/provider-status.ts"
import type { AssistantLine, ResultLine } from "./native.ts"

export interface Outcome {
  stop: StopReason
  error?: TurnError
}

/** What a `result` means. Failed requests to the model come as `success` with `is_error`. */
export function outcomeOf(line: ResultLine, said?: TurnError): Outcome {
  const { terminal_reason: reason, subtype } = line
  if (reason?.startsWith("aborted")) return { stop: "cancelled" }
  if (subtype === "error_max_turns" || reason === "max_turns") return { stop: "max_turn_requests" }
  if (!line.is_error && subtype === "success") return { stop: stops[line.stop_reason ?? ""] ?? "end_turn" }
  return { stop: "error", error: errorOf(line, said) }
}

const stops: Record<string, StopReason> = { max_tokens: "max_tokens", refusal: "refusal" }

function errorOf(line: ResultLine, said: TurnError | undefined): TurnError {
  const { result, errors = [], subtype, terminal_reason: reason } = line
  // Its diagnostics are for its makers.
  const reported = errors.filter((text) => !text.startsWith("[ede_diagnostic]")).join("\n")
  const message = inOurWords(result || reported || said?.message || `the turn ended with ${reason ?? subtype}`)
  // Some words of its say less than the status.
  const word = said?.code === "unknown" || said?.code === "server_error" ? undefined : said?.code
  const code = reasons[reason ?? ""] ?? word ?? codeOf(line) ?? said?.code ?? subtype.replace(/^error_/, "")
  return { code, message }
}

/** There is no `/login` here: it is a command of its own screen. */
const inOurWords = (said: string): string =>
  said.replace(/(?:\s*·\s*)?Please run \/login\.?/, ". Log in with `claude auth login`, or set ANTHROPIC_API_KEY.")

const reasons: Record<string, FailureCode> = {
  prompt_too_long: "prompt_too_long",
  budget_exhausted: "budget_exhausted",
  image_error: "invalid_request",
}

/** The failed request as the line before the result tells it. */
export function saidError({ error = "unknown", api_error, message }: AssistantLine): TurnError {
  const text = message.content.map((block) => block.text ?? "").join("")
  const notLoggedIn = error === "unknown" && /not logged in/i.test(text)
  return { code: inOurCodes(api_error ?? (notLoggedIn ? "authentication_failed" : error)), message: text }
}

const inOurCodes = (word: string): string => (word === "rate_limit" ? ("rate_limited" satisfies FailureCode) : word)

function codeOf({ api_error, api_error_status: status, result }: ResultLine): string | undefined {
  if (api_error) return inOurCodes(api_error)
  if (status) return codeOfStatus(status) ?? "server_error"
  return /not logged in/i.test(result ?? "") ? "authentication_failed" : undefined
}
