import type { Route } from "@sandbox-agent/schema/contract/route"
import { answerText } from "./answer.ts"
import { apiRequest } from "./api-arguments.ts"
import { canFollow, routeFlags } from "./api-commands.ts"
import { bytesToSend, printBytes, printHeaders } from "./bytes.ts"
import { type Call, call, parseAnswer } from "./client.ts"
import { asTyped } from "./command-words.ts"
import { type Connection, connectionOf } from "./connection.ts"
import { doneWords } from "./done-words.ts"
import { inDirectory, isOtherPlace } from "./here.ts"
import { ofTerminal } from "./hints.ts"
import { installFirst } from "./install-first.ts"
import { onInterrupt } from "./interrupt.ts"
import { isSet, lastOf } from "./parse.ts"
import { err, out, paintFor, printable, terminalOf } from "./print.ts"
import { report } from "./problem.ts"
import { answersRequest, withRequestId } from "./request-ids.ts"
import { readStdin } from "./stdin.ts"
import { printStream } from "./stream.ts"
import { withHelp, withSuggestion } from "./suggestion.ts"

/** Calls one endpoint as its command line says, and prints the answer. */
export async function callRoute(route: Route, argv: string[]): Promise<number> {
  onInterrupt(route, argv)
  const words = answersRequest(route) ? await withRequestId(route, argv) : argv
  const { path, query, body, parsed } = await apiRequest(route, words, readStdin)
  const json = isSet(parsed, "json")
  const connection = await connectionOf(parsed, process.env)
  try {
    const bytes = route.bodyBytes === undefined ? undefined : await bytesToSend(lastOf(parsed, "input"), process.stdin)
    const asked: Call = { method: route.method, path, query, body, bytes }
    const { request, assumed } = inDirectory(route, asked, connection)
    if (route.tag === "processes" || route.tag === "terminals") {
      const { processCalls } = await import("./process-calls.ts")
      const custom = processCalls[route.id]
      if (custom) return await custom(connection, request, json)
    }
    const streams = route.answer === "sse"
    if (streams)
      return await printStream(route, connection, request, {
        json,
        reconnect: canFollow(route) && !isSet(parsed, "no-follow"),
      })
    if (!json && createsSession.includes(route.id)) await installFor(connection, request)
    const accept = accepts[route.answer]
    const response = await call(connection, { ...request, accept }).catch((error: unknown) => {
      if (assumed && body !== undefined && isOtherPlace(error)) return call(connection, { ...asked, accept })
      throw error
    })
    if (route.answer === "headers") return await printHeaders(response, json)
    if (route.answer === "bytes") return await printBytes(response, lastOf(parsed, "output"))
    const text = await response.text()
    if (route.answer === "none") return 0
    if (route.answer === "text" || route.answer === "html" || json) await out(text.endsWith("\n") ? text : `${text}\n`)
    else await printJson(route.id, request.path, parseAnswer(text, response.url))
    return 0
  } catch (error) {
    // What is read by programs stays as the daemon said it.
    const said = json ? error : asTyped(error, routeFlags(route))
    return await report(withHelp(await withSuggestion(said, connection), route.cli), json)
  }
}

const createsSession = ["createSession", "createSessionWithNewId", "restoreSession", "forkSession"]

async function installFor(connection: Connection, { body }: Call): Promise<void> {
  const { agent, agentVersion } = body as { agent?: string; agentVersion?: string }
  if (agent !== undefined) await installFirst(connection, agent, { version: agentVersion })
}

const accepts = {
  none: "*/*",
  json: "application/json",
  "json-or-sse": "application/json",
  sse: "text/event-stream",
  bytes: "*/*",
  headers: "*/*",
  text: "*/*",
  html: "*/*",
}

async function printJson(route: string, path: string, value: Record<string, unknown>): Promise<void> {
  const done = doneWords(route, value, path)
  await out(done === undefined ? answerText(value, terminalOf()) : `${printable(done)}\n`)
  const error = value.healthy === false ? (value.error as { message?: string; hint?: string } | undefined) : undefined
  if (!error) return
  const paint = paintFor(terminalOf(process.stderr))
  const hint = error.hint ? `\n${paint("dim", `hint: ${printable(ofTerminal(error.hint))}`)}` : ""
  const words = `the session exists, but its agent is not ready: ${printable(error.message ?? "")}`
  await err(`${paint("yellow", "warning:")} ${words}${hint}\n`)
}
