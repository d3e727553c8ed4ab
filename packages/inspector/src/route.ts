import { useSyncExternalStore } from "react"

/** Where the reader is: all of it stands in the address, so that reload, back and links keep the place. */
export interface Route {
  session?: string | undefined
  /** What fills the middle in place of a session. */
  place?: "new" | "agents" | undefined
  tab?: string | undefined
  /** Of the files: the folder, where it is not the session's own, and what is open in it. */
  folder?: string | undefined
  file?: string | undefined
  /** The terminal that is shown. */
  terminal?: string | undefined
  item?: string | undefined
  event?: number | undefined
  /** By which sessions are filtered, wherever one goes. */
  find?: string | undefined
  /** By which the tab is filtered. */
  words?: string | undefined
}

const listeners = new Set<() => void>()
let now = read()

function read(): Route {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2)
  const words = new URLSearchParams(query)
  const [head = "", ...rest] = path.split("/")
  const event = Number(words.get("event"))
  const of = (name: string) => words.get(name) || undefined
  return {
    session: head === "s" && rest[0] ? decode(rest.join("/")) : undefined,
    place: head === "new" || head === "agents" ? head : undefined,
    tab: of("tab"),
    folder: of("folder"),
    file: of("file"),
    terminal: of("terminal"),
    item: of("item"),
    event: event > 0 ? event : undefined,
    find: of("find"),
    words: of("words"),
  }
}

/** A hash that somebody typed may be no code at all. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** In this order: one place has one address. */
const named = ["tab", "folder", "file", "terminal", "item", "event", "find", "words"] as const

export function hashOf({ session, place, ...more }: Route): string {
  const words = new URLSearchParams()
  for (const name of named) if (more[name]) words.set(name, String(more[name]))
  const query = words.size > 0 ? `?${words}` : ""
  return `#/${session === undefined ? (place ?? "") : `s/${encodeURIComponent(session)}`}${query}`
}

export function go(to: Route, { replace = false } = {}): void {
  const hash = hashOf({ find: now.find, ...to })
  if (hash === location.hash) return
  if (replace) history.replaceState(null, "", hash)
  else history.pushState(null, "", hash)
  changed()
}

const ofTab = { folder: undefined, file: undefined, terminal: undefined, words: undefined } satisfies Route

/** The same place with something else about it. What one tab shows, and is filtered by, means nothing to another. */
export function adjust(change: Route, options?: { replace?: boolean }): void {
  const isOtherTab = "tab" in change && change.tab !== now.tab
  go({ ...now, ...(isOtherTab && ofTab), ...change }, options)
}

function changed(): void {
  now = read()
  for (const listener of listeners) listener()
}
addEventListener("hashchange", changed)
addEventListener("popstate", changed)

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export const useRoute = (): Route => useSyncExternalStore(subscribe, () => now)
