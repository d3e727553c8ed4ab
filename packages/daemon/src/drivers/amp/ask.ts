import { type Json, record, text } from "../shared/json.ts"

/** What the delegate program tells the daemon: the tool that wants to run. */
export interface Ask {
  tool: string
  /** Of the call; calls of sub-agents are never told on stdout. */
  call: string
  input: Json
}

/** What it is answered, as one line. */
export type Verdict = { allow: true } | { refuse: string }

export function askOf(line: string): Ask {
  const said = record(JSON.parse(line))
  return { tool: text(said.tool) ?? "unknown", call: text(said.call) ?? "", input: record(said.input) }
}
