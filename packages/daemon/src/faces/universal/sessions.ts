import { blobOf } from "../../core/blobs.ts"
import { cancelTurn } from "../../core/cancel.ts"
import { beginSession, type Created, resumeSession } from "../../core/creation.ts"
import { terminateSession } from "../../core/ending.ts"
import { forkSession } from "../../core/fork.ts"
import { nativeStateOf } from "../../core/native-state.ts"
import { rejectQuestion, replyPermission, replyQuestion } from "../../core/replies.ts"
import { pendingOf } from "../../core/requests.ts"
import { restoreSession } from "../../core/restore.ts"
import { assertMayAnswer, assertMayBring, assertMayLoosen } from "../../core/rights.ts"
import { patchSession } from "../../core/settings.ts"
import { transcriptOf } from "../../core/transcript.ts"
import { viewOf } from "../../core/view.ts"
import { matches } from "../../host/files/precondition.ts"
import { answerOf, onePiece, wholeAnswer } from "../http/answer.ts"
import { roomFor } from "../http/pages-in-progress.ts"
import type { Handlers } from "../http/router.ts"
import type { Services } from "../services.ts"
import { withAgent } from "./default-agent.ts"

type SessionHandlers = Pick<
  Handlers,
  | "listSessions"
  | "createSession"
  | "createSessionWithNewId"
  | "getSession"
  | "patchSession"
  | "deleteSession"
  | "cancelTurn"
  | "terminateSession"
  | "resumeSession"
  | "forkSession"
  | "restoreSession"
  | "listItems"
  | "listPending"
  | "getNativeState"
  | "getBlob"
  | "replyPermission"
  | "replyQuestion"
  | "rejectQuestion"
>

const created = ({ healthy, error, session }: Created) => ({
  healthy,
  error,
  nativeSessionId: session.record.native.id,
  session: viewOf(session),
})

export function sessionHandlers(services: Services): SessionHandlers {
  const { sessions, clients, stalled } = services
  return {
    listSessions: ({ query }) => sessions.list(query),
    createSession: async ({ params, body, request }) =>
      created(await beginSession(sessions, params.id, withAgent(services, body), clients.of(request))),
    createSessionWithNewId: async ({ body, request }) =>
      created(await beginSession(sessions, undefined, withAgent(services, body), clients.of(request))),
    getSession: ({ params }) => viewOf(sessions.onDisk(params.id)),
    patchSession: async ({ params, body, request }) => {
      const s = sessions.get(params.id)
      await assertMayLoosen(s, body.permissionMode, clients.of(request))
      const applied = await patchSession(s, body)
      return { session: viewOf(s), applied }
    },
    deleteSession: async ({ params }) => {
      await sessions.deleteById(params.id)
      return { deleted: true }
    },
    cancelTurn: ({ params, body }) => cancelTurn(sessions.get(params.id), body),
    terminateSession: async ({ params }) => {
      const s = sessions.get(params.id)
      await terminateSession(s)
      return { session: viewOf(s) }
    },
    resumeSession: async ({ params }) => created(await resumeSession(sessions.get(params.id))),
    forkSession: async ({ params, body, request }) => {
      const s = sessions.get(params.id)
      await assertMayLoosen(s, body.permissionMode, clients.of(request))
      await assertMayBring(services, body.mcp, clients.of(request))
      const forked = await forkSession(sessions, s, body)
      return { ...created(forked), forkedAtSequence: forked.forkedAtSequence }
    },
    restoreSession: async ({ params, body, request }) => {
      const restored = await restoreSession(sessions, params.id, withAgent(services, body), clients.of(request))
      return { ...created(restored), context: restored.context }
    },
    getNativeState: async ({ params, request }) => {
      const had = request.headers.get("if-none-match")
      const isKnown = (etag: string) => had !== null && matches(had, etag, true)
      const { etag, state } = await nativeStateOf(sessions.get(params.id), isKnown)
      const headers = { etag, "cache-control": "private, no-cache", "content-type": "application/json;charset=utf-8" }
      if (state === undefined) return new Response(null, { status: 304, headers })
      return wholeAnswer(JSON.stringify(state), { request, stalled, status: 200, headers })
    },
    listItems: ({ params, request }) => {
      const items = transcriptOf(sessions.get(params.id))
      const answering = { request, stalled, headers: { "content-type": "application/json" } }
      return answerOf(items, answering, items.openChars > 0 ? roomFor(items.open, items.openChars) : undefined)
    },
    listPending: ({ params }) => pendingOf(sessions.onDisk(params.id)),
    getBlob: ({ params, request }) => {
      const s = sessions.get(params.id)
      const { mime, read } = blobOf(s, params.hash)
      // The bytes came from a user or an agent: never let a browser run them.
      const safety = { "x-content-type-options": "nosniff", "content-security-policy": "sandbox; default-src 'none'" }
      const headers = { "content-type": mime, "cache-control": "private, immutable, max-age=31536000", ...safety }
      return answerOf(onePiece(`blob ${s.record.uid} ${params.hash}`, read), { request, stalled, headers })
    },
    replyPermission: async ({ params, body, request }) => {
      const s = sessions.get(params.id)
      await assertMayAnswer(s, params.permissionId, clients.of(request))
      return { permission: await replyPermission(s, params.permissionId, body.reply, body.message) }
    },
    replyQuestion: async ({ params, body, request }) => {
      const s = sessions.get(params.id)
      await assertMayAnswer(s, params.questionId, clients.of(request))
      return { question: await replyQuestion(s, params.questionId, body.answers) }
    },
    rejectQuestion: async ({ params, body, request }) => {
      const s = sessions.get(params.id)
      await assertMayAnswer(s, params.questionId, clients.of(request))
      return { question: await rejectQuestion(s, params.questionId, body.message) }
    },
  }
}
