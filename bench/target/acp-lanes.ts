import { type Dialect, headerless, official } from "../client/acp.ts"
import type { Running, Target } from "./target.ts"

/** How a server is asked: ours in the dialect of the peer, ours by the official transport, the floor by its own. */
export interface Lane {
  name: LaneName
  target: Target
  /** The floor speaks no ACP. */
  dialect?: Dialect
}
export type LaneName = OursName | "floor" | "peer"
export type OursName = keyof typeof oursBy

function lanesOf(target: Target): Lane[] {
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

/** A server for each lane, all at once: rounds go from lane to lane, so that a busy minute falls on all of them. */
export const startAll = (targets: readonly Target[]): Promise<{ lane: Lane; server: Running }[]> =>
  Promise.all(targets.flatMap(lanesOf).map(async (lane) => ({ lane, server: await lane.target.start() })))

/** The two ways to ask ours, each with the path it is known by; with its own agent, and with a generic one. */
export const oursBy = {
  ours: "/v1/acp",
  official: "/v1/rpc",
  generic: "/v1/acp, generic agent",
  genericOfficial: "/v1/rpc, generic agent",
} as const

export const ourNames = Object.keys(oursBy) as OursName[]
