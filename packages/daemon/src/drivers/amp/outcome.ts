import type { TurnError } from "@sandbox-agent/schema/event"
import { MemoryGone } from "../../core/driver.ts"
import type { Exit } from "../../core/driver-sink.ts"
import { exitContext, exited, stderrOf } from "../shared/exited.ts"
import { codeOfStatus, type FailureCode } from "../shared/provider-status.ts"

const login = "Set AMP_API_KEY, or log in with `amp login`."

export const notLoggedIn: TurnError = { code: "authentication_failed", message: `Amp has no API key. ${login}` }

/** What made Amp give up a turn, as its result tells it. */
export function errorOf(said: string): TurnError {
  const status = Number(/^(\d{3})\b/.exec(said)?.[1])
  const code = codeOfStatus(status) ?? codeIn(said) ?? "during_execution"
  return { code, message: messageIn(said) }
}

const words: readonly (readonly [RegExp, FailureCode])[] = [
  [/unauthorized|API key|access token/i, "authentication_failed"],
  [/overloaded/i, "overloaded"],
  [/credits?|payment/i, "billing_error"],
  [/couldn't connect|fetch failed|terminated|ECONN/i, "connection_failed"],
]

const codeIn = (said: string): FailureCode | undefined => words.find(([word]) => word.test(said))?.[1]

/** A provider's answer stands in it as it came. */
function messageIn(said: string): string {
  const json = /^\d{3} (\{[\s\S]*\})$/.exec(said)?.[1]
  const message = json === undefined ? undefined : /"message":"((?:[^"\\]|\\.)*)"/.exec(json)?.[1]
  return message === undefined ? said : (JSON.parse(`"${message}"`) as string)
}

/** Why it did not take a message, where it says so on stderr. `undefined`: it does not. */
export function startError(exit: Exit): TurnError | MemoryGone | undefined {
  const said = plain(stderrOf(exit))
  const unknown = /Thread \S+ (?:does not exist|not found)/i.exec(said)?.[0]
  if (unknown !== undefined) return new MemoryGone(`Amp: ${unknown}`, exitContext(exit))
  const message = /^(?:Error: |Login failed: )(.+)$/m.exec(said)?.[1]
  if (message === undefined) return undefined
  const code = codeIn(message) ?? "agent_process_exited"
  const { exitCode, ...how } = exitContext(exit)
  return {
    code,
    message: code === "authentication_failed" ? `${message} ${login}` : message,
    exit_code: exitCode,
    ...how,
  }
}

/** The loss of a process, in words without the codes for its terminal. */
export const lossOf = (exit: Exit): Exit => ({ ...exit, message: plain(exited("amp", exit).detail) })

// biome-ignore lint/suspicious/noControlCharactersInRegex: the codes are what is looked for
const plain = (text: string): string => text.replace(/\x1b\[[\d;?<=>]*[a-z]/gi, "").trim()
