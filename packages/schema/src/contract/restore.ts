import { RestoreSessionSchema } from "../restore.ts"
import { route } from "./route.ts"
import { createErrors, sessionParams } from "./sessions.ts"

/** Apart from the other routes of sessions: the schemas of items are made for nobody who restores none. */
export const restoreRoutes = {
  restoreSession: route({
    id: "restoreSession",
    method: "POST",
    path: "/v1/sessions/{id}/restore",
    tag: "sessions",
    summary: "Restore a session of another daemon",
    description:
      "For a session whose daemon is gone and whose log was kept elsewhere. Takes what creating a session takes, and what was said and decided in it. The new log begins with its items, marked `replayed`. With `nativeSessionId` the agent goes on in its own session where it still has it on this machine, or `nativeState` brings it (`context: native`); else it begins a new one and is told of this session in a brief, as by a fork with `agent` (`context: rebuilt`). `context` is absent where nothing was said yet, or the agent could not be started: then `session.updated` tells it. Pictures and attachments are there again where `blobs` has them; what was allowed for the session is asked again.",
    params: sessionParams,
    body: RestoreSessionSchema,
    bodyRequired: true,
    answer: "json",
    status: 201,
    errors: [...createErrors, "session_already_exists"],
    cli: ["sessions", "restore"],
  }),
}
