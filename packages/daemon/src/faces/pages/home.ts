import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Mount } from "../http/router.ts"
import { page } from "./page.ts"

const body = (base: string) => `<h1>Sandbox Agent is running</h1>
<p>One HTTP API, one event stream and one permission story for every coding agent.</p>
<ul><li><a href="/ui/">Inspector</a>: sessions, files and terminals in this browser</li><li><a href="/docs">API reference</a></li><li><a href="/openapi.json">OpenAPI 3.1</a></li><li><a href="/v1/health">Health</a></li></ul>
<h2>A first session</h2>
<p>The <code>mock</code> agent needs no account. Set <code>SANDBOX_AGENT_TOKEN</code> to the token the daemon printed at start.</p>
<pre>curl -X POST ${base}/v1/sessions/demo \\
  -H "authorization: Bearer $SANDBOX_AGENT_TOKEN" \\
  -H "content-type: application/json" -d '{"agent":"mock"}'

curl -N -X POST ${base}/v1/sessions/demo/messages/stream \\
  -H "authorization: Bearer $SANDBOX_AGENT_TOKEN" \\
  -H "content-type: application/json" -d '{"message":"hello"}'</pre>`

/** The first page a person opens. Tells nothing that needs the token. */
export const homePage: Mount = {
  path: "/",
  open: true,
  handle(request) {
    if (request.method !== "GET" && request.method !== "HEAD")
      throw new SandboxAgentError("method_not_allowed", `/ takes GET, HEAD, not ${request.method}`, {
        allow: ["GET", "HEAD"],
      })
    // Behind `--host 0.0.0.0` any Host passes, also one that is none.
    const origin = URL.canParse(request.url) ? new URL(request.url).origin : ""
    return new Response(page("Home", body(origin.replace(/[<>&"]/g, ""))), {
      headers: { "content-type": "text/html; charset=utf-8" },
    })
  },
}
