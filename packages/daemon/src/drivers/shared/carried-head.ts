import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import { type Json, record } from "./json.ts"

/** The first line of an agent's record, which says what session it is of; empty where it is not JSON. */
export function headOf(bytes: Buffer): Json {
  try {
    return record(parseOfAgent(bytes.toString("utf8", 0, endOfHead(bytes))))
  } catch {
    return {} // a record of nothing
  }
}

/** Where the first line ends. */
export function endOfHead(bytes: Buffer): number {
  const end = bytes.indexOf(0x0a)
  return end < 0 ? bytes.length : end
}
