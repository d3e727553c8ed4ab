import {
  type ErrorCode,
  errorCodeOfType,
  errorCodes,
  errors,
  type Problem,
  SandboxAgentError,
} from "@sandbox-agent/schema/error"
import type { Connection } from "./connection.ts"
import { stderrText } from "./event-text.ts"
import { wrap } from "./help-text.ts"
import { forPeople } from "./hints.ts"
import { err, isBrokenPipe, note, OutputLost, paintFor, printable, tellLost, terminalOf } from "./print.ts"
import { UsageError } from "./usage.ts"

export const strangerHint = "is this the address of a sandbox-agent daemon?"

/** A code for a status, for answers that are not ours (a proxy, another program on that port). */
function codeOfStatus(status: number): ErrorCode {
  return errorCodes.find((code) => errors[code].status === status) ?? (status < 500 ? "invalid_request" : "internal")
}

/** The error in an unsuccessful response. */
export async function errorOfResponse(response: Response, { own, tokenFrom }: Connection): Promise<SandboxAgentError> {
  const text = await response.text().catch(() => "")
  // The address of a daemon that ends with the command tells nobody anything.
  const endpoint = URL.canParse(response.url) && !own ? new URL(response.url).origin : undefined
  try {
    const problem = JSON.parse(text) as Partial<Problem>
    const code = typeof problem.type === "string" ? errorCodeOfType(problem.type) : undefined
    const about = { ...problem, endpoint, ...(code === "token_invalid" && { tokenFrom }) }
    if (code) return new SandboxAgentError(code, problem.detail ?? errors[code].title, about)
  } catch {
    // Not a problem document of ours; the status decides below.
  }
  const detail = `HTTP ${response.status} from ${response.url}: ${text.slice(0, 200) || "no text"}`
  return new SandboxAgentError(codeOfStatus(response.status), detail, {
    hint: strangerHint,
  })
}

/** The error that a stream ended with. */
export function errorOfProblem(text: string): SandboxAgentError {
  const { problem: named, ...problem } = JSON.parse(text) as Problem
  // That of an install is an event among others: `type` is what the event is called.
  const code = errorCodeOfType(typeof named === "string" ? named : problem.type)
  return new SandboxAgentError(code ?? "stream_error", problem.detail ?? problem.title, problem)
}

/** Nothing answers at the address. */
export function cannotConnect(endpoint: string, error: unknown): SandboxAgentError {
  const { code, message } = error as NodeJS.ErrnoException
  return new SandboxAgentError("unavailable", `${endpoint} does not answer (${code ?? message})`, {
    title: "Cannot connect",
    hint: "is the daemon running? start it with `sandbox-agent daemon start`",
  })
}

export const exitCodeOf = (error: unknown): number =>
  SandboxAgentError.is(error) ? errors[error.code].exit : errors.internal.exit

/** An error as it is told; one that is none of ours is a fault. */
export function problemOf(error: unknown): Problem {
  const known = SandboxAgentError.is(error)
    ? error
    : new SandboxAgentError("internal", error instanceof Error ? (error.stack ?? error.message) : String(error), {
        hint: "a fault of the command line; please report it",
      })
  return known.toProblem()
}

/** Tells an error on stderr and gives the exit code that goes with it. */
export async function report(error: unknown, json: boolean): Promise<number> {
  if (error instanceof OutputLost) return isBrokenPipe(error) ? 0 : tellLost(error)
  const problem = problemOf(error)
  if (json) await note(JSON.stringify(problem))
  else await err(`${errorText(problem, error instanceof UsageError)}\n`)
  return exitCodeOf(error)
}

export function errorText(problem: Problem, plain = false): string {
  const paint = paintFor(terminalOf(process.stderr))
  const told = forPeople(problem)
  const message = plain ? problem.detail : told.message
  const { tty, width } = terminalOf(process.stderr)
  // Words are not broken on a screen; in a pipe a line is a line.
  const lay = (text: string): string => (tty ? wrap(text, width - 1).join("\n") : text)
  const hint = told.hint ? `\n${paint("dim", lay(`hint: ${printable(told.hint)}`))}` : ""
  const said = stderrText(problem.stderr)
  const stderr = said === "" ? "" : `\n${paint("dim", printable(`stderr of the agent:\n${said}`))}`
  return `${lay(`error: ${printable(message)}`).replace(/^error:/, paint("red", "error:"))}${stderr}${hint}`
}
