import { useSyncExternalStore } from "react"

/** Where the reader is: all of it stands in the address, so that reload, back and links keep the place. */
export interface Route {
  session?: string
  /** What fills the middle in place of a session. */
  place?: "new" | "agents"
  tab?: string
  item?: string
  event?: number
}

const listeners = new Set<() => void>()
let now = read()

function read(): Route {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2)
  const words = new URLSearchParams(query)
  const [head = "", ...rest] = path.split("/")
  const event = Number(words.get("event"))
  return {
    ...(head === "s" && rest[0] ? { session: decode(rest.join("/")) } : {}),
    ...(head === "new" || head === "agents" ? { place: head } : {}),
    ...(words.get("tab") ? { tab: words.get("tab") ?? "" } : {}),
    ...(words.get("item") ? { item: words.get("item") ?? "" } : {}),
    ...(event > 0 ? { event } : {}),
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

export function hashOf({ session, place, tab, item, event }: Route): string {
  const words = new URLSearchParams()
  if (tab) words.set("tab", tab)
  if (item) words.set("item", item)
  if (event) words.set("event", String(event))
  const query = words.size > 0 ? `?${words}` : ""
  return `#/${session === undefined ? (place ?? "") : `s/${encodeURIComponent(session)}`}${query}`
}

export function go(to: Route, { replace = false } = {}): void {
  const hash = hashOf(to)
  if (hash === location.hash) return
  if (replace) history.replaceState(null, "", hash)
  else history.pushState(null, "", hash)
  changed()
}

/** The same place with something else about it. */
export const adjust = (change: Partial<Route>, options?: { replace?: boolean }): void =>
  go({ ...now, ...change }, options)

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
