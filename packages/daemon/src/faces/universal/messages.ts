import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import { withdrawMessage } from "../../core/messages.ts"
import { post } from "../../core/post.ts"
import { answerOf } from "../http/answer.ts"
import type { Handlers } from "../http/router.ts"
import { assertCursor, cursorOf, follow, sseResponse } from "../http/sse.ts"
import type { Services } from "../services.ts"
import { eventsPage } from "./events-page.ts"
import { followMessage } from "./follow-message.ts"
import { withRawFrames } from "./include-raw.ts"

type MessageHandlers = Pick<
  Handlers,
  "postMessage" | "streamMessage" | "withdrawMessage" | "getEvents" | "streamEvents"
>

function wantsRaw({ include_raw: named, includeRaw: alias }: { include_raw?: boolean; includeRaw?: boolean }): boolean {
  if (named !== undefined && alias !== undefined)
    throw new SandboxAgentError("invalid_request", "query includeRaw: the same as include_raw, which is given as well")
  return named ?? alias ?? false
}

export function messageHandlers({ sessions, reader, stalled }: Services): MessageHandlers {
  return {
    postMessage: ({ params, body }) => post(sessions.get(params.id), body),
    streamMessage: async ({ params, query, body, request }) => {
      const s = sessions.get(params.id)
      const cursor = s.log.last
      const posted = await post(s, body)
      const transform = followMessage(s, posted.messageId, wantsRaw(query) ? reader : undefined)
      return sseResponse(
        follow({
          log: s.log,
          reader,
          cursor: transform.start ?? cursor,
          request,
          stalled,
          transform,
        }),
      )
    },
    withdrawMessage: async ({ params }) => {
      await withdrawMessage(sessions.get(params.id), params.messageId)
      return { messageId: params.messageId, state: "withdrawn" }
    },
    getEvents: ({ params, query, request }) => {
      const { log } = sessions.get(params.id)
      const cursor = query.offset === undefined ? log.first - 1 : assertCursor(log, query.offset)
      const page = eventsPage(reader, log, cursor, query.limit ?? limits.eventsPageDefault, wantsRaw(query))
      return answerOf(page, { request, stalled, headers: { "content-type": "application/json" } })
    },
    streamEvents: ({ params, query, request }) => {
      const { log } = sessions.get(params.id)
      const cursor = cursorOf(request, query.offset, log, log.first - 1)
      const transform = wantsRaw(query) ? withRawFrames(reader, log) : undefined
      return sseResponse(follow({ log, reader, cursor, request, stalled, transform }))
    },
  }
}
