import { type Context, targets } from "../case.ts"
import { type Dialect, headerless, official } from "../client/acp.ts"
import type { Running, Target } from "./target.ts"

/** How a server is asked: ours in the dialect of the peer, ours by the official transport, the floor by its own. */
export interface Lane {
  name: LaneName
  target: Target
  /** The floor speaks no ACP. */
  dialect?: Dialect
}
export type LaneName = "ours" | "official" | "floor" | "peer"

export function lanes(context: Context): Lane[] {
  return targets(context).flatMap((target): Lane[] => {
    if (target.name === "floor") return [{ name: "floor", target }]
    if (target.name === "peer") return [{ name: "peer", target, dialect: headerless }]
    return [
      { name: "ours", target, dialect: headerless },
      { name: "official", target, dialect: official },
    ]
  })
}

/** A server for each lane, all at once: rounds go from lane to lane, so that a busy minute falls on all of them. */
export const startAll = (context: Context): Promise<{ lane: Lane; server: Running }[]> =>
  Promise.all(lanes(context).map(async (lane) => ({ lane, server: await lane.target.start() })))

/** The two ways to ask ours, each with the path it is known by. */
export const oursBy = { ours: "/v1/acp", official: "/v1/rpc" } as const
