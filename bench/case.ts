import type { Row } from "./row.ts"
import type { Target } from "./target/target.ts"

export interface Context {
  ours: Target
  /** Ours with an agent that it knows by its command alone. */
  generic: Target
  /** The same, with a process for each session. */
  alone: Target
  floor: Target
  /** Absent when no peer was given. */
  peer?: Target
}

/** One measurement: it starts what it needs, leaves nothing running, and gives lines of the report. */
export interface Case {
  /** For `--only`. */
  name: string
  /** What is missing here; such a case runs only when it is named, or with `--agents`, and then fetches it. */
  needs?(): string | undefined
  run(context: Context): Promise<Row[]>
}

/** The targets present, the floor first: it warms the page cache for the others. */
export const targets = (context: Context): Target[] =>
  [context.floor, context.peer, context.ours].filter((target) => target !== undefined)

/** The same, and ours with a generic ACP agent: whoever streams is measured on it as well. */
export const streaming = (context: Context): Target[] => [...targets(context), context.generic]

/** Ours alone, for what no other can be asked. */
export const bothOfOurs = (context: Context): readonly OurTarget[] => [
  { target: context.ours, of: agentOf.ours },
  { target: context.generic, of: agentOf.generic },
]

export interface OurTarget {
  target: Target
  /** Behind the names of its rows. */
  of: string
}

/** What stands behind the name of a row of ours. */
export const agentOf = { ours: "", generic: ", generic ACP agent" } as const
