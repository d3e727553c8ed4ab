import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { StopReason, TurnError } from "@sandbox-agent/schema/event"
import { MemoryGone } from "../../core/driver.ts"
import type { Exit } from "../../core/driver-sink.ts"
import { exitContext, exited, stderrOf } from "../shared/exited.ts"
import { codeOfStatus, type FailureCode } from "../shared/provider-status.ts"
import type { Message } from "./native.ts"

export interface Outcome {
  stop: StopReason
  error?: TurnError
}

/** How a turn ended, by the last answer of the model. After an interrupt that may say anything. */
export function outcomeOf(last: Message | undefined, aborted: boolean): Outcome {
  if (aborted || last?.stopReason === "aborted") return { stop: "cancelled" }
  if (last?.stopReason === "error") return { stop: "error", error: errorOf(last.errorMessage ?? "no reason") }
  return { stop: last?.stopReason === "length" ? "max_tokens" : "end_turn" }
}

/** What made Pi give up a turn, or refuse a message. */
export function errorOf(said: string): TurnError {
  const status = Number(/^(\d{3})\b/.exec(said)?.[1])
  const code = codeOfStatus(status) ?? codeIn(said) ?? "during_execution"
  return { code, message: messageIn(said) }
}

const words: readonly (readonly [RegExp, FailureCode])[] = [
  [/^No (?:API key|model)|unauthorized|invalid.{0,10}api.?key/i, "authentication_failed"],
  [/overloaded/i, "overloaded"],
  [/connection|fetch failed|terminated|ECONN|socket/i, "connection_failed"],
]

const codeIn = (said: string): FailureCode | undefined => words.find(([word]) => word.test(said))?.[1]

const login = "Set the key of a model provider, such as ANTHROPIC_API_KEY, or log in with /login of `pi`."

/** It starts without, and would refuse every message. */
export const noModel = (): SandboxAgentError =>
  new SandboxAgentError("unavailable", "Pi has no model that this machine has a login for", {
    agent: "pi",
    hint: login,
  })

/** A provider's answer stands in it as it came; what Pi advises is for its own screen. */
function messageIn(said: string): string {
  if (/^No (?:API key|model)/.test(said)) return `${said.split("\n", 1)[0]} ${login}`
  const json = /^\d{3}:? (\{[\s\S]*\})$/.exec(said)?.[1]
  const message = json === undefined ? undefined : /"message":"((?:[^"\\]|\\.)*)"/.exec(json)?.[1]
  return message === undefined ? said : (JSON.parse(`"${message}"`) as string)
}

/** Why Pi did not start or went away: what it cannot say in its protocol it says on stderr. */
export function piExited(exit: Exit): SandboxAgentError {
  const unknown = /No session found matching .*/.exec(stderrOf(exit))?.[0]
  if (unknown !== undefined) return new MemoryGone(`Pi: ${unknown}`, exitContext(exit))
  return exited("pi", exit)
}
