import type { IncomingMessage, ServerResponse } from "node:http"
import { describeRequest } from "./describe.ts"
import type { Dialect } from "./dialects/dialect.ts"
import type { JsonObject } from "./json.ts"
import type { Answer, AnswerFunction, Reply } from "./part.ts"
import { play, type Stage, sendError } from "./play.ts"
import { redactHeaders } from "./redact.ts"
import type { Ending, ModelRequest } from "./request.ts"
import { agentIdOf, sessionKeys, type Target } from "./route.ts"
import { error, reply } from "./script.ts"
import type { Server } from "./server.ts"
import { SIDE_ANSWERS, sideKind } from "./side.ts"

/** Answers a request to the model itself, by the script. */
export async function converse(
  server: Server,
  dialect: Dialect,
  target: Target,
  incoming: IncomingMessage,
  response: ServerResponse,
  body: JsonObject,
): Promise<void> {
  let end = (_: Ending) => {}
  const ended = new Promise<Ending>((resolve) => {
    end = resolve
  })
  const request = { ...normalise(server, dialect, target, incoming, body), ended }
  const answer = takeAnswer(server, request)
  const signal = AbortSignal.any([goneSignal(response), server.closing])
  const stage = { dialect, request, response, ids: server.ids, signal }
  const ending = await answerWith(server, answer, stage)
  end(signal.aborted && ending === "answered" && !response.writableFinished ? goneEnding(server) : ending)
}

function goneEnding(server: Server): Ending {
  return server.closing.aborted ? "closed" : "client-gone"
}

function normalise(
  server: Server,
  dialect: Dialect,
  target: Target,
  incoming: IncomingMessage,
  body: JsonObject,
): Omit<ModelRequest, "ended"> {
  const content = dialect.read(body, target.path)
  const keys = sessionKeys(target, incoming.headers, body)
  return {
    ...content,
    number: server.nextNumber(),
    dialect: dialect.name,
    method: incoming.method ?? "",
    path: target.path,
    query: target.query,
    headers: redactHeaders(incoming.headers),
    session: server.scripts.sessionFor(keys),
    sessionKeys: keys,
    agentId: agentIdOf(incoming.headers),
    side: sideKind(content, body),
    body,
  }
}

// Records and claims in one go: no other request may come between.
function takeAnswer(
  { recorder, scripts, options }: Server,
  request: ModelRequest,
): Answer | AnswerFunction | undefined {
  const { method, path, side } = request
  if (side === undefined) recorder.request(request)
  else recorder.side({ kind: side, method, path, request })
  const scripted = scripts.claim(request)
  if (scripted !== undefined || side === undefined) return scripted
  return options.sides?.[side] ?? SIDE_ANSWERS[side]
}

async function answerWith(
  server: Server,
  answer: Answer | AnswerFunction | undefined,
  stage: Stage,
): Promise<"answered" | "cut"> {
  const { request, response } = stage
  const fail = (status: number, reason: string) => {
    server.recorder.surprise({ reason, method: request.method, path: request.path, request })
    if (response.headersSent) response.destroy()
    else sendError(stage, error(status, `scripted-model: ${reason}`))
  }
  if (answer === undefined) {
    // 400: the one status that no agent tries again.
    fail(400, `no step left for ${describeRequest(request)}`)
    return "answered"
  }
  try {
    const given = await Promise.resolve(typeof answer === "function" ? answer(request) : answer)
    return await play(toReply(given), stage)
  } catch (problem) {
    const said = problem instanceof Error ? problem.message : String(problem)
    fail(500, `the script failed on ${describeRequest(request)}: ${said}`)
    return "answered"
  }
}

function toReply(answer: Answer): Reply {
  if (typeof answer === "string") return reply(answer)
  return answer.type === "reply" ? answer : reply(answer)
}

function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.once("close", () => gone.abort())
  return gone.signal
}
