import type { Route } from "@sandbox-agent/schema/contract/route"
import type { CreateSession } from "@sandbox-agent/schema/session"
import { answerText } from "./answer.ts"
import { apiRequest } from "./api-arguments.ts"
import { canFollow, routeFlags } from "./api-commands.ts"
import { bytesToSend, printBytes, printHeaders } from "./bytes.ts"
import { type Call, call, parseAnswer } from "./client.ts"
import { asTyped } from "./command-words.ts"
import { type Connection, connectionOf } from "./connection.ts"
import { textOf } from "./cut-off.ts"
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
    if (createsSession.includes(route.id)) await installFor(route.id, connection, request, { assumed, json })
    const accept = accepts[route.answer]
    const response = await call(connection, { ...request, accept }).catch((error: unknown) => {
      if (assumed && body !== undefined && isOtherPlace(error)) return call(connection, { ...asked, accept })
      throw error
    })
    if (route.answer === "headers") return await printHeaders(response, json)
    if (route.answer === "bytes") return await printBytes(response, request, lastOf(parsed, "output"))
    const text = await textOf(response, request)
    if (route.answer === "none") {
      if (!json) await out(`${printable(doneWords(route.id, {}, request) ?? "done")}\n`)
      return 0
    }
    const answer =
      route.answer === "text" || route.answer === "html"
        ? undefined
        : parseAnswer<Record<string, unknown>>(text, response.url)
    if (answer === undefined || json) await out(text.endsWith("\n") ? text : `${text}\n`)
    else await printJson(route.id, request, answer)
    return 0
  } catch (error) {
    // What is read by programs stays as the daemon said it.
    const said = json ? error : asTyped(error, routeFlags(route))
    return await report(withHelp(await withSuggestion(said, connection), route.cli), json)
  }
}

const createsSession = ["createSession", "createSessionWithNewId", "restoreSession", "forkSession"]

async function installFor(
  route: string,
  connection: Connection,
  { body }: Call,
  { assumed, json }: { assumed: boolean; json: boolean },
): Promise<void> {
  const { agent, agentVersion: version, env, directory } = body as Partial<CreateSession>
  if (agent === undefined) return
  // A fork has directory and variables of its parent, which only the daemon knows.
  const forSession = route === "forkSession" ? undefined : { env, directory }
  await installFirst(connection, agent, { version, forSession }, json).catch((error: unknown) => {
    if (!assumed || !isOtherPlace(error)) throw error
    return installFirst(connection, agent, { version, forSession: { env } }, json)
  })
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

async function printJson(route: string, request: Call, value: Record<string, unknown>): Promise<void> {
  const done = doneWords(route, value, request)
  await out(done === undefined ? answerText(value, terminalOf()) : `${printable(done)}\n`)
  const error = value.healthy === false ? (value.error as { message?: string; hint?: string } | undefined) : undefined
  if (!error) return
  const paint = paintFor(terminalOf(process.stderr))
  const hint = error.hint ? `\n${paint("dim", `hint: ${printable(ofTerminal(error.hint))}`)}` : ""
  const words = `the session exists, but its agent is not ready: ${printable(error.message ?? "")}`
  await err(`${paint("yellow", "warning:")} ${words}${hint}\n`)
}
