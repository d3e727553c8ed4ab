import type { CreateSession } from "@sandbox-agent/schema/session"
import type { Acts } from "./acts.ts"
import type { Means } from "./scenario.ts"

export interface Skip {
  reason: string
  /** Names of scenarios. */
  tests: readonly string[]
  /** The agent can, but it is not converted: a dash in the matrix, not a blank. */
  has?: boolean
}

/** An agent under test: how to make it do things, and what it cannot. */
export interface Subject {
  agent: string
  acts: Acts
  skip?: readonly Skip[]
  /** It speaks ACP itself: a client of that face gets its own words. */
  speaks?: "acp"
  /** What this place cannot offer, with the reason. */
  lacks?: Partial<Record<Means, string>>
  /** Why some acts are missing though the agent can: such scenarios are skipped. */
  partial?: string
  /** Fewer scenarios at once than others, because it is slow to start or shares what it writes. */
  atOnce?: number
  /** Nobody has described it: what it does not declare is skipped for this reason, and not tried. */
  notDescribed?: string
  /** Removes what the agent keeps of its sessions; none of its processes runs then. */
  forget?(): Promise<void>
  /** Given to every session. */
  session?: Partial<CreateSession>
  /** Given to a session whose model shall be down. */
  deadModel?: Partial<CreateSession>
}

/** A daemon to speak to. One without `crash` is not ours to kill. */
export interface RunningDaemon {
  url: string
  token: string
  /** By SIGKILL; resolves when it is gone. */
  crash?(): Promise<void>
  stop(): Promise<void>
}

/** Where a run takes place. */
export interface Stage {
  /** Starts the daemon, again on the same data after a crash. */
  start(): Promise<RunningDaemon>
  /** For the folders of sessions; the daemon must see the same files. */
  directory: string
}

/** A daemon that runs already, on this machine; it is neither stopped nor killed. */
export const givenDaemon = (url: string, token: string, directory: string): Stage => ({
  directory,
  start: async () => ({ url, token, stop: async () => {} }),
})
