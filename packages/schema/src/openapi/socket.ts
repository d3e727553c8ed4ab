import { type Mounted, terminalPaths } from "../contract/mounted.ts"
import type { Json } from "./components.ts"
import { failures } from "./operation.ts"

const query = (name: string, description: string): Json => ({
  ...{ name, in: "query", required: false, description, schema: { type: "string" } },
})

/** A WebSocket, as far as OpenAPI has words for it. */
export function socketOperation({ id, summary, description }: Mounted, path: string): Json {
  const isPublic = path === terminalPaths.public
  return {
    operationId: isPublic ? `${id}V2` : id,
    tags: ["terminals"],
    summary,
    description,
    parameters: [
      { name: "id", in: "path", required: true, description: "terminal id", schema: { type: "string" } },
      query("ticket", "of `POST /v1/terminals/{id}/ticket`; good once, for half a minute"),
      ...(isPublic ? [query("access_token", "the daemon's token, where it may stand in an address")] : []),
    ],
    responses: {
      101: { description: "The connection is a WebSocket from here on" },
      ...failures([
        ...(["invalid_request", "token_invalid", "permission_denied", "not_found", "conflict"] as const),
        ...(["too_many_requests", "internal"] as const),
      ]),
    },
  }
}
