import type { SessionInfo } from "sandbox-agent"
import { titleOf } from "../ui/words.ts"
import { lookOf, wordOf } from "./status.tsx"

export interface Group {
  name: string
  sessions: SessionInfo[]
}

/** What waits first, then what runs, then the rest by day. */
export function groupsOf(sessions: readonly SessionInfo[], filter: string, now: number): Group[] {
  const groups = new Map<string, SessionInfo[]>()
  const add = (name: string, session: SessionInfo) => groups.set(name, [...(groups.get(name) ?? []), session])
  const found = sessions.filter((session) => matches(session, filter))
  const newest = found.toSorted((a, b) => (a.updatedAt < b.updatedAt ? 1 : -1))
  for (const session of newest) if (lookOf(session) === "waits") add("Waits for you", session)
  for (const session of newest) if (lookOf(session) === "running") add("Running", session)
  for (const session of newest)
    if (!["waits", "running"].includes(lookOf(session))) add(dayOf(session.updatedAt, now), session)
  return [...groups].map(([name, all]) => ({ name, sessions: all }))
}

/** Every word of the filter is in something that is shown of it. */
export function matches(session: SessionInfo, filter: string): boolean {
  const { id, agent, directory } = session
  const text = `${titleOf(session)} ${id} ${agent} ${directory} ${wordOf(session)}`.toLowerCase()
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

function dayOf(time: string, now: number): string {
  const day = (ms: number) => new Date(ms).toDateString()
  const at = Date.parse(time)
  if (day(at) === day(now)) return "Today"
  if (day(at) === day(now - 86_400_000)) return "Yesterday"
  return new Date(at).toLocaleDateString(undefined, { weekday: "short", day: "numeric", month: "short" })
}
