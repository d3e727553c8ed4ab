import type { Method } from "./route.ts"

/** One method of a path that a face answers by itself, because it speaks a protocol of its own there. */
export interface Mounted {
  /** operationId in OpenAPI. */
  readonly id: string
  readonly method: Method
  readonly path: string
  readonly alsoAt?: readonly string[]
  readonly summary: string
  readonly description: string
}

/** Where the ACP face is: the product's two versions, and connections that clients name. */
export const acpPaths = { rpc: "/v1/rpc", rpcAlsoAt: "/v2/rpc", server: "/v1/acp/{serverId}" } as const

/** What may stand in the address of every ACP request. */
export const acpQuery = ["agent"] as const

const rpc = { path: acpPaths.rpc, alsoAt: [acpPaths.rpcAlsoAt] }
const server = { path: acpPaths.server }

/** ACP: served by its face, listed in OpenAPI, and held against what is served by the same test as the contract. */
export const mounted: readonly Mounted[] = [
  {
    id: "postAcp",
    method: "POST",
    ...rpc,
    summary: "Send one ACP message",
    description:
      "JSON-RPC, one message per request. With `Acp-Connection-Id` it is the official transport: taken with 202, answered on the streams, refused in plain text. Without it the answer is in the body, or with `Prefer: respond-async` on the stream. `initialize` answers with `Acp-Connection-Id`.",
  },
  {
    id: "streamAcp",
    method: "GET",
    ...rpc,
    summary: "Stream of ACP messages",
    description:
      "SSE with ids and `Last-Event-ID`. With `Acp-Connection-Id` the stream of the connection, with `Acp-Session-Id` as well that of one session; without headers everything. With `Upgrade: websocket` both directions on one socket.",
  },
  {
    id: "leaveAcp",
    method: "DELETE",
    ...rpc,
    summary: "Leave an ACP connection",
    description: "Detaches; a running turn goes on.",
  },
  {
    id: "postAcpServer",
    method: "POST",
    ...server,
    summary: "Send one ACP message on a connection of this name",
    description: "JSON-RPC, one message per request; the answer is in the body.",
  },
  {
    id: "streamAcpServer",
    method: "GET",
    ...server,
    summary: "Stream of ACP messages of a connection of this name",
    description: "SSE with ids and `Last-Event-ID`.",
  },
  {
    id: "leaveAcpServer",
    method: "DELETE",
    ...server,
    summary: "Leave a connection of this name",
    description: "Detaches; a running turn goes on.",
  },
]
