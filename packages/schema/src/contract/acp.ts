import { route } from "./route.ts"

/** What of the ACP face is an endpoint like any other; the protocol itself is at `/v1/rpc` and `/v1/acp/{serverId}`. */
export const acpRoutes = {
  listAcpServers: route({
    id: "listAcpServers",
    method: "GET",
    path: "/v1/acp",
    tag: "system",
    summary: "ACP connections that clients have named",
    description:
      "Those opened at `/v1/acp/{serverId}`. ACP itself is JSON-RPC: POST a message there or to `/v1/rpc`, GET the stream (SSE, `Last-Event-ID`), DELETE to leave; `/v1/rpc` also takes the official transport with `Acp-Connection-Id`, and WebSockets.",
    answer: "json",
    status: 200,
    errors: [],
    cli: ["system", "acp-servers"],
  }),
}
