import type { Group, RouteId } from "./contract.ts"
import { routeHeads } from "./heads.gen.ts"
import type { Method, Route } from "./route.ts"

/** What a router has to know of a route before anybody asks for it. */
export interface RouteHead {
  /** The file of the contract that declares it. */
  readonly group: Group
  readonly method: Method
  /** Its path, and where else the same handler answers. */
  readonly paths: readonly string[]
  readonly open?: boolean
  /** Of a route that takes nothing, all there is to know. */
  readonly bare?: Answering
}

/** What a router needs to know to answer a request. */
export type Answering = Pick<Route, "params" | "query" | "body" | "bodyRequired" | "answer" | "status">

/** Making the schemas of what routes take is a good part of a start: those of a group are made with its first request. */
const groups: Record<Group, () => Promise<Record<string, Route>>> = {
  system: async () => (await import("./system.ts")).systemRoutes,
  acp: async () => (await import("./acp.ts")).acpRoutes,
  agents: async () => (await import("./agents.ts")).agentRoutes,
  sessions: async () => (await import("./sessions.ts")).sessionRoutes,
  restore: async () => (await import("./restore.ts")).restoreRoutes,
  messages: async () => (await import("./messages.ts")).messageRoutes,
  processes: async () => (await import("./processes.ts")).processRoutes,
  terminals: async () => (await import("./terminals.ts")).terminalRoutes,
  files: async () => (await import("./files.ts")).fileRoutes,
  config: async () => (await import("./config.ts")).configRoutes,
}

export const heads: readonly (readonly [RouteId, RouteHead])[] = Object.entries(routeHeads) as [RouteId, RouteHead][]

export async function loadRoute(id: RouteId): Promise<Answering> {
  const { bare, group } = routeHeads[id]
  return bare ?? ((await groups[group]())[id] as Answering)
}
