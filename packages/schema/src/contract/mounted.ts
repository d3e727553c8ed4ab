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
    summary: "Close an ACP connection",
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
    summary: "Close the ACP connection of this name",
    description: "Detaches; a running turn goes on.",
  },
]

/** Where viewers of a terminal connect: ours, and that of the public client, which can only put its token into the address. */
export const terminalPaths = { terminal: "/v1/terminals/{id}/ws", public: "/v1/processes/{id}/terminal/ws" } as const

export const terminalQuery = ["ticket", "access_token"] as const

/** Terminals: served by a face of their own, listed in OpenAPI. */
export const terminalSockets: readonly Mounted[] = [
  {
    id: "attachTerminal",
    method: "GET",
    path: terminalPaths.terminal,
    alsoAt: [terminalPaths.public],
    summary: "View a terminal and type into it (WebSocket)",
    description:
      "With `Upgrade: websocket`. Binary frames are output, from the daemon, and input, to it. The first is the screen as it is now, with its scrollback. Text frames are JSON: from the daemon `ready {processId, cols, rows}`, `resize {cols, rows}` (somebody else did), `resync` (what follows is a whole screen, because output was left out for a viewer that was too slow), `exit {exitCode, signal}`, `pong` and `error {message}`; to it `input {data, encoding?}`, `resize {cols, rows}`, `ping` and `close`. At the second path only `ready`, `exit` and `error` come. Pages without headers use a `ticket`, or the subprotocol `sandboxagent.token.<token in base64url>`. `access_token` is taken at the second path alone, by a daemon on loopback or with `--allow-url-token`.",
  },
]
