import { acpPaths } from "@sandbox-agent/schema/contract/mounted"
import type { AcpRows } from "../../store/acp-rows.ts"
import type { ConnectionStore } from "../../store/connection-store.ts"
import type { Handlers, Mount } from "../http/router.ts"
import type { Services } from "../services.ts"
import type { AcpBase } from "./acp.ts"
import { Connections, SERVERS, serverConnections } from "./connections.ts"
import type { Served } from "./serve.ts"
import { TidyTimer } from "./tidy-timer.ts"

/** So long after a client came, said something or left connections are looked over. */
const TIDY_MS = 60_000

export interface AcpFace {
  readonly handlers: Pick<Handlers, "listAcpServers">
  readonly mounts: readonly Mount[]
  /** Drops what is kept for further readers: it can be made again. */
  forget(): void
  /** Streams end once they have given out all. */
  stop(): void
}

/** ACP over HTTP and WebSocket: the official transport, and the two forms of clients that send no headers. */
export function acpFace(
  services: Services,
  store: ConnectionStore,
  rows: AcpRows,
  defaultAgent: string | undefined,
  startPos: number,
): AcpFace {
  const connections = new Connections({ services, store, rows })
  const base: AcpBase = { services, store, rows, defaultAgent, connections, startPos }
  connections.recover()
  const tidying = new TidyTimer(() => connections.tidy())
  connections.onUsed = () => tidying.in(TIDY_MS)
  let loaded: Promise<Served> | undefined
  const served = (): Promise<Served> => {
    loaded ??= import("./serve.ts").then(({ serve }) => serve(base))
    return loaded
  }
  const rpc: Mount["handle"] = async (request, upgrade) => (await served()).rpc(request, upgrade)
  return {
    handlers: { listAcpServers: () => ({ servers: serverConnections(connections) }) },
    mounts: [
      { path: acpPaths.rpc, handle: rpc },
      { path: acpPaths.rpcAlsoAt, handle: rpc },
      { path: `${SERVERS}/*`, handle: async (request) => (await served()).servers(request) },
    ],
    forget: () => void loaded?.then((face) => face.forget()),
    stop: () => {
      connections.onUsed = undefined
      tidying.stop()
      connections.closeAll()
    },
  }
}
