import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Mount } from "../http/router.ts"
import { pathOf } from "../http/router.ts"
import type { StalledReaders } from "../http/stalled-readers.ts"

/** The inspector, from inside the executable. Needs no token: it asks for one. Nothing of it is read before it is opened. */
export function inspectorPage(stalled: StalledReaders): Mount {
  return {
    path: "/ui/*",
    open: true,
    async handle(request) {
      if (request.method !== "GET" && request.method !== "HEAD")
        throw new SandboxAgentError("method_not_allowed", `/ui/ takes GET, HEAD, not ${request.method}`, {
          allow: ["GET", "HEAD"],
        })
      const path = pathOf(request)
      if (path === "/ui") return new Response(null, { status: 308, headers: { location: "/ui/" } })
      const { assetAnswer } = await import("./assets.ts")
      return assetAnswer(path.slice("/ui/".length) || "index.html", request, stalled)
    },
  }
}
