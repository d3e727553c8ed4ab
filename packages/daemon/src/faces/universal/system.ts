import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Handlers } from "../http/router.ts"
import { cursorOf, follow, sseResponse } from "../http/sse.ts"
import type { Services } from "../services.ts"
import { metricsText } from "./metrics.ts"

type SystemHandlers = Pick<
  Handlers,
  "getHealth" | "streamGlobalEvents" | "getOpenApi" | "getDocs" | "getMetrics" | "makeTicket" | "redeemTicket"
>

export function systemHandlers(services: Services): SystemHandlers {
  const { global, reader, stalled, version, startedAt, signIn } = services
  let openapi: string | undefined
  let docs: string | undefined
  const text = (type: string, body: string) =>
    new Response(body, { headers: { "content-type": `${type}; charset=utf-8` } })
  return {
    getHealth: () => ({ status: "ok", version, uptimeMs: Math.round(performance.now() - startedAt) }),
    streamGlobalEvents: ({ query, request }) => {
      const { log } = global
      const cursor = cursorOf(request, query.offset, log, log.last)
      // With its place: who is cut off before the first event would come back without one, and begin anew.
      return sseResponse(follow({ log, reader, cursor, after: String(cursor), request, stalled }))
    },
    // Loaded when asked for: few do, and all the schemas of answers hang on it.
    getOpenApi: async () => {
      const { buildOpenApi } = await import("@sandbox-agent/schema/openapi")
      openapi ??= JSON.stringify(buildOpenApi(version))
      return text("application/json", openapi)
    },
    getDocs: async ({ request }) => {
      const { docsAt, docsPage, docsPolicy } = await import("../pages/docs.ts")
      docs ??= docsPage(version)
      // Behind `--host 0.0.0.0` any Host passes, also one that is none.
      const origin = URL.canParse(request.url) ? new URL(request.url).origin : ""
      const page = text("text/html", docsAt(docs, origin))
      page.headers.set("content-security-policy", docsPolicy)
      return page
    },
    getMetrics: () => text("text/plain; version=0.0.4", metricsText(services)),
    makeTicket: () => signIn.tickets.issue(),
    redeemTicket: ({ body }) => {
      if (!signIn.tickets.redeem(body.ticket))
        throw new SandboxAgentError("not_found", "there is no such ticket: it was used, or is too old", {
          hint: "`sandbox-agent system ticket` makes another; or sign in with the token.",
        })
      return { token: signIn.token }
    },
  }
}
