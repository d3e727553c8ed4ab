import type { SessionInfo } from "sandbox-agent"
import { waitsForPerson } from "./session-list.ts"

export type Look = "waits" | "running" | "idle" | "ended" | "failed"

export function lookOf(session: Pick<SessionInfo, "status" | "pending" | "error">): Look {
  if (session.status === "ended") return "ended"
  if (waitsForPerson(session as SessionInfo) > 0 || session.status === "waiting") return "waits"
  if (session.status === "idle") return session.error ? "failed" : "idle"
  return "running"
}

const words: Record<Look, string> = {
  waits: "waits for you",
  running: "running",
  idle: "idle",
  ended: "ended",
  failed: "failed",
}

export const wordOf = (session: Pick<SessionInfo, "status" | "pending" | "error">): string => {
  const look = lookOf(session)
  return look === "running" && session.status !== "running" ? session.status : words[look]
}

/** Its shape says what it is, not its colour alone. */
export function StatusDot({ look }: { look: Look }) {
  return (
    <svg className={`dot ${look}`} width="12" height="12" viewBox="0 0 12 12" aria-hidden="true">
      {look === "running" && <circle cx="6" cy="6" r="4.5" className="fill" />}
      {look === "waits" && (
        <>
          <circle cx="6" cy="6" r="4" className="ring" />
          <path d="M6 2a4 4 0 0 1 0 8z" className="fill" />
        </>
      )}
      {(look === "idle" || look === "ended") && <circle cx="6" cy="6" r="4" className="ring" />}
      {look === "ended" && <path d="M4 6h4" className="ring" />}
      {look === "failed" && <path d="M2.5 2.5l7 7M9.5 2.5l-7 7" className="ring" />}
    </svg>
  )
}
