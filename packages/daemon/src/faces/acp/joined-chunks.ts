import { stringEnd } from "@sandbox-agent/schema/json-depth"
import { limits } from "@sandbox-agent/schema/limits"
import type { Line } from "./entry.ts"
import { isRecord } from "./projection/envelope.ts"
import { spanOf } from "./splice.ts"
import { asHistory } from "./told-log.ts"

const TEXT = ["params", "update", "content", "text"]
const CHUNK = /^(?:agent_message|agent_thought)_chunk$/

/** Messages of a history. Chunks that differ in their text alone and follow each other are one, under the number of the last. */
export function withJoinedChunks(lines: readonly Line[]): Line[] {
  const joined: Line[] = []
  /** What stands around the text of the last one, where others may follow. */
  let around: { before: string; behind: string } | undefined
  for (const line of lines) {
    const { json } = line
    const last = joined.at(-1)
    if (last !== undefined && around !== undefined && isLike(json, around) && last.json.length < limits.deltaBytes) {
      const { before, behind } = around
      const text = json.slice(before.length, json.length - behind.length)
      joined[joined.length - 1] = { ...line, json: last.json.slice(0, -behind.length) + text + behind }
      continue
    }
    const message: unknown = JSON.parse(json)
    const told = asHistory(json, message)
    if (told === undefined) continue
    joined.push({ ...line, json: told })
    around = isChunk(message) ? aroundTextOf(json) : undefined
  }
  return joined
}

function isLike(json: string, { before, behind }: { before: string; behind: string }): boolean {
  if (!json.startsWith(before) || !json.endsWith(behind)) return false
  return stringEnd(json, before.length - 1) === json.length - behind.length
}

function isChunk(message: unknown): boolean {
  const params = isRecord(message) ? message.params : undefined
  const update = isRecord(params) ? params.update : undefined
  return isRecord(update) && typeof update.sessionUpdate === "string" && CHUNK.test(update.sessionUpdate)
}

function aroundTextOf(json: string): { before: string; behind: string } | undefined {
  const span = spanOf(json, TEXT)
  if (span === undefined || json[span.from] !== '"') return undefined
  return { before: json.slice(0, span.from + 1), behind: json.slice(span.to - 1) }
}
