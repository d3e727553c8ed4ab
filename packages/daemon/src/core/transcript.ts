import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Item } from "@sandbox-agent/schema/item"
import { limits } from "@sandbox-agent/schema/limits"
import { folded } from "./item-parts.ts"
import { withRepair } from "./refold.ts"
import type { Session } from "./session.ts"

/** What a transcript began with; an item may begin at sequence 1. */
const BEGIN = 0
const END = Number.MAX_SAFE_INTEGER

const encoder = new TextEncoder()

/**
 * The folded transcript and the sequence it is true for, as JSON in pieces. Done items are read as they are asked for and
 * passed on as they are stored; those that are open at this moment are kept as they are.
 */
export function transcriptOf(s: Session) {
  // Rows hold what was committed; flushing first makes them and the open items in memory speak of the same moment.
  s.context.store.flush()
  const { uid, id } = s.record
  const { last } = s.log
  const open = new Map(
    [...s.items.values()].map((o) => [
      o.item.item_id,
      JSON.stringify({ ...o.item, content: folded(o) } satisfies Item),
    ]),
  )
  const openChars = [...open.values()].reduce((sum, { length }) => sum + length, 0)
  return {
    open,
    openChars,
    start: BEGIN,
    nameOf: (at: number) => `items ${uid} ${last} ${at}`,
    next: (at: number): { bytes: Uint8Array; at: number } | undefined => {
      if (at === END) return undefined
      if (s.deleted) throw new SandboxAgentError("gone", `session ${id} was deleted`)
      const texts: string[] = []
      let end = at
      for (let size = 0; size < limits.readerPageBytes; ) {
        const row = withRepair(s, () => s.context.rows.itemAfter(uid, end))
        if (row === undefined || row.startedSeq > last) {
          end = END
          break
        }
        const isDone = row.completedSeq !== null && row.completedSeq <= last
        const json = (isDone ? undefined : open.get(row.id)) ?? row.json
        texts.push(json)
        size += json.length
        end = row.startedSeq
      }
      const before = at === BEGIN ? '{"items":[' : texts.length > 0 ? "," : ""
      return {
        bytes: encoder.encode(`${before}${texts.join(",")}${end === END ? `],"sequence":${last}}` : ""}`),
        at: end,
      }
    },
  }
}
