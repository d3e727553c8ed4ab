import type { Event } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"
import type { Entry, Transcript } from "./transcript.ts"

/** What ACP cannot say, or says otherwise; each is met by a run, or it has no place here. */
export const differences = {
  fork: "what a fork took over is history: its first client has it from the first session, `session/load` tells it",
  retried:
    "what an agent began to say and said again is shown live, as it came; `session/load` leaves the first attempt out, of an agent that does not speak ACP itself",
  stops: "how a turn ended is the answer to its prompt; `session/load` has no word for it",
  link: "a client attaches a file by a link, and a link is words of the message: `[@name](uri)`",
  queue:
    "`session/cancel` also takes back what the same client has in the queue; `$/cancel_request` of a prompt ends that one alone",
  wording:
    "an agent that speaks ACP itself is heard in its own words, live and by `session/load`: names and output of calls, sub-agents, notes, blank lines between thoughts",
  vendor: "methods of an agent's own are passed on under its names, also where those do not begin with `_` as ACP asks",
  asked:
    "a permission, or a question to a client without forms, that is about no call is shown live as a call of its own",
  opened:
    "notes of an agent while its session is being made, such as an MCP server that does not start, come before the client knows the session: `session/load` tells them",
} as const

export type Difference = keyof typeof differences

/** Met or not as the moment has it: an answer may be cut before its first word, a note may come a moment later. */
export const mayNotOccur: readonly string[] = ["retried", "opened"] satisfies Difference[]

/** How a client came by what it shows. */
export type ReadBy = "live" | "loaded"

/** All that REST knows of a session. */
export interface RestView {
  items: readonly Item[]
  events: readonly Event[]
}

/** Items without those that this way does not tell. */
export function shownItems(
  way: ReadBy,
  { items, events }: RestView,
  speaksAcp: boolean,
  met: (difference: Difference) => void,
): Item[] {
  const taken = new Set(
    events.flatMap((event) => (event.type === "item.started" && event.replayed ? event.data.item.item_id : [])),
  )
  return items.filter((item) => {
    const isSpared = way === "loaded" && !speaksAcp && isRetried(item)
    const difference = way === "live" && taken.has(item.item_id) ? "fork" : isSpared ? "retried" : undefined
    if (difference !== undefined) met(difference)
    return difference === undefined
  })
}

const isRetried = ({ kind, metadata }: Item): boolean => kind === "message" && metadata?.reason === "retried"

/** What is the same in whichever words: what was said, and which calls came to what. */
export const ignoringWording = ({ entries, ...rest }: Transcript): Transcript => ({
  ...rest,
  entries: entries.flatMap((entry): Entry[] => {
    if (entry.kind === "note") return []
    const { under: _, ...plain } = entry
    // Blank lines that part one thought from the next.
    if (plain.kind === "thought") return [{ ...plain, text: plain.text.replace(/\s+/g, " ").trim() }]
    if (plain.kind !== "call") return [plain]
    // What a call would have changed may be shown though it was refused.
    const changes = plain.status === "failed" ? [] : plain.changes
    return [{ ...plain, name: undefined, output: "", changes }]
  }),
})

/** What a live client must see. Of notes before the first message only those that were sent: earlier ones came before the client did. */
export function expectedLive(
  due: readonly Entry[],
  shown: readonly Entry[],
  met: (difference: Difference) => void,
): Entry[] {
  const leading = (entries: readonly Entry[]) => {
    const first = entries.findIndex(({ kind }) => kind !== "note")
    return first < 0 ? entries.length : first
  }
  const early = leading(due) - leading(shown)
  if (early > 0) met("opened")
  return due.slice(Math.max(early, 0))
}

/** Entries without those that are only a way of asking. */
export function withoutAskedCalls(way: ReadBy, shown: Transcript, met: (difference: Difference) => void): Entry[] {
  return shown.entries.filter((entry) => {
    if (way !== "live" || entry.kind !== "call" || !/^(perm|que)_/.test(entry.id)) return true
    met("asked")
    return false
  })
}
