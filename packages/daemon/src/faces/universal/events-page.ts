import { limits } from "@sandbox-agent/schema/limits"
import { offsetAfter } from "../../store/damage.ts"
import type { Log } from "../../store/log.ts"
import type { LogReader, StoredText } from "../../store/reader.ts"
import type { Pieces } from "../http/slices.ts"
import { withRaw } from "./include-raw.ts"

const encoder = new TextEncoder()

/** A place in a page: the event before it, and what the page may still hold. */
interface PagePosition {
  cursor: number
  left: number
  chars: number
  isOver: boolean
}

/** A page of events as JSON. It ends with what was in the log when it was asked for, and by its size. */
export function eventsPage(
  reader: LogReader,
  log: Log,
  cursor: number,
  limit: number,
  raw: boolean,
): Pieces<PagePosition> {
  const { last, uid } = log
  const start = { cursor, left: limit, chars: limits.eventsPageChars, isOver: false }
  return {
    start,
    nameOf: (at) => `page ${uid} ${cursor} ${limit} ${raw} ${last} ${at.isOver ? "end" : at.cursor}`,
    next: (at) => {
      if (at.isOver) return undefined
      const texts: string[] = []
      let { left, chars } = at
      let end = at.cursor
      let size = 0
      for (const text of textsAfter(reader, log, at, at === start)) {
        // Many events may come from one native line, and each brings it along.
        if (text.sequence > last || chars <= 0 || (raw && size >= limits.readerPageBytes)) break
        const json = raw ? withRaw(reader, log, text) : text.json
        texts.push(json)
        end = text.sequence
        left--
        chars -= json.length
        size += json.length
      }
      reader.forgetRaw()
      const isOver = texts.length === 0 || left === 0 || chars <= 0 || end >= last
      const before = at === start ? '{"events":[' : texts.length > 0 ? "," : ""
      const after = isOver ? `],"hasMore":${end < last}}` : ""
      return {
        bytes: encoder.encode(`${before}${texts.join(",")}${after}`),
        at: { cursor: end, left, chars, isOver },
      }
    },
  }
}

/** If some were read they are returned, and the damage is an error of the next read. */
function textsAfter(reader: LogReader, log: Log, { cursor, left }: PagePosition, isFirst: boolean): StoredText[] {
  if (log.closed && !isFirst) return []
  try {
    return reader.texts(log, cursor, left, limits.readerPageBytes)
  } catch (error) {
    if (isFirst || offsetAfter(error) === undefined) throw error
    return []
  }
}
