import { type Dialect, headerless, official } from "../client/acp.ts"
import type { Running, Target } from "./target.ts"

/** How a server is asked: ours in the dialect of the peer, ours by the official transport, the floor by its own. */
export interface AcpRoute {
  name: AcpRouteName
  target: Target
  /** The floor speaks no ACP. */
  dialect?: Dialect
}
export type AcpRouteName = OursName | "floor" | "peer"
export type OursName = keyof typeof oursBy

function routesOf(target: Target): AcpRoute[] {
  switch (target.name) {
    case "floor":
      return [{ name: "floor", target }]
    case "peer":
      return [{ name: "peer", target, dialect: headerless }]
    case "ours":
      return [
        { name: "ours", target, dialect: headerless },
        { name: "official", target, dialect: official },
      ]
    case "generic":
      return [
        { name: "generic", target, dialect: headerless },
        { name: "genericOfficial", target, dialect: official },
      ]
  }
}

/** A server for each route, all at once: rounds go from route to route, so that a busy minute falls on all of them. */
export const startAll = (targets: readonly Target[]): Promise<{ route: AcpRoute; server: Running }[]> =>
  Promise.all(targets.flatMap(routesOf).map(async (route) => ({ route, server: await route.target.start() })))

/** The two ways to ask ours, each with the path it is known by; with its own agent, and with a generic one. */
export const oursBy = {
  ours: "/v1/acp",
  official: "/v1/rpc",
  generic: "/v1/acp, generic agent",
  genericOfficial: "/v1/rpc, generic agent",
} as const

export const ourNames = Object.keys(oursBy) as OursName[]
