import type { Session } from "sandbox-agent"
import { useNow } from "../store.ts"
import { duration } from "../ui/words.ts"

/** How long something took, or takes. */
export function Elapsed({ session, from, to, runs }: { session: Session; from: string; to: string; runs: boolean }) {
  const begun = session.transcript.spanOf(from)?.startedAt
  if (begun === undefined) return null
  if (runs) return <Running since={begun} />
  const ended = session.transcript.spanOf(to)?.endedAt
  if (ended === undefined) return null
  return <span className="elapsed">{duration(Date.parse(ended) - Date.parse(begun))}</span>
}

export function Running({ since }: { since: string }) {
  const now = useNow(1000)
  const ms = now - Date.parse(since)
  return <span className="elapsed">{ms < 1000 ? "" : duration(Math.floor(ms / 1000) * 1000)}</span>
}
