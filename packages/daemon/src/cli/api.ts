import type { Route } from "@sandbox-agent/schema/contract/route"
import { answerText } from "./answer.ts"
import { apiRequest } from "./api-arguments.ts"
import { canFollow } from "./api-commands.ts"
import { bytesToSend, printBytes, printHeaders } from "./bytes.ts"
import { type Call, call, parseAnswer } from "./client.ts"
import { connectionOf } from "./connection.ts"
import { inDirectory, isOtherPlace } from "./here.ts"
import { isSet, lastOf } from "./parse.ts"
import { err, out, paintFor, terminalOf } from "./print.ts"
import { report } from "./problem.ts"
import { answersRequest, withRequestId } from "./request-ids.ts"
import { readStdin } from "./stdin.ts"
import { printStream } from "./stream.ts"
import { withSuggestion } from "./suggestion.ts"

/** Calls one endpoint as its command line says, and prints the answer. */
export async function callRoute(route: Route, argv: string[]): Promise<number> {
  process.once("SIGINT", () => process.exit(130))
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
    const streams = route.answer === "sse" || (route.answer === "json-or-sse" && !json && process.stderr.isTTY)
    if (streams)
      return await printStream(route, connection, request, {
        json,
        reconnect: canFollow(route) && !isSet(parsed, "no-follow"),
      })
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
    else await printJson(parseAnswer(text, response.url))
    return 0
  } catch (error) {
    return await report(await withSuggestion(error, connection), json)
  }
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

async function printJson(value: Record<string, unknown>): Promise<void> {
  await out(answerText(value, terminalOf()))
  const error = value.healthy === false ? (value.error as { message?: string; hint?: string } | undefined) : undefined
  if (!error) return
  const paint = paintFor(terminalOf(process.stderr))
  await err(`${paint("yellow", "warning:")} the session exists, but its agent is not ready: ${error.message ?? ""}\n`)
}
