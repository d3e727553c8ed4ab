import { fitsBytes, headBytes } from "@sandbox-agent/schema/byte-length"
import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import { limits } from "@sandbox-agent/schema/limits"
import { patchFromAgent } from "./applied-settings.ts"
import { boundText } from "./bounds.ts"
import type { Sink } from "./driver-sink.ts"
import { endedByAgent } from "./ending.ts"
import { forwardRequest } from "./forwarded-requests.ts"
import { keepImage } from "./images.ts"
import { closeItem, deltaItem, failItem, openItem, snapshotItem, wholeItem } from "./items.ts"
import { messageReturned } from "./messages.ts"
import { orderedSink } from "./ordered-sink.ts"
import { gone } from "./process.ts"
import { ask, unask } from "./requests.ts"
import type { Session } from "./session.ts"
import { addUsage, messageTaken, nativeTurnEnded, nativeTurnStarted } from "./turns.ts"

/** What one opening of an agent may tell the core. Once its epoch has passed nothing it says has effect. */
export function sinkFor(s: Session, epoch: number): Sink {
  return orderedSink(s, directSink(s, epoch))
}

function directSink(s: Session, epoch: number): Omit<Sink, "after" | "mcpFailed"> {
  const { store } = s.context
  const live = () => s.epoch === epoch && !s.deleted
  const raw = (direction: "<" | ">", line: string): number => {
    const n = ++s.rawCount
    store.raw(s.log, n, direction, line)
    return n
  }
  return {
    line(line, handle) {
      if (s.deleted) return
      const n = raw("<", line)
      if (s.epoch !== epoch) return
      const outer = s.raw
      s.raw = n
      try {
        if (handle() === "unknown") unknown(s, line)
      } catch (error) {
        unparsed(s, line, error)
      } finally {
        s.raw = outer
        if (outer === 0) store.flushFull()
      }
    },
    sent(line) {
      if (s.epoch === epoch && !s.deleted) raw(">", line)
    },
    passedOver: (error) =>
      live() && s.append("agent.unparsed", { error, location: `${s.record.agent} stdout` }, "daemon"),
    native: (method) => live() && s.append("agent.native", { method: boundText(method) }),
    passOn: (method, key, by) => live() && forwardRequest(s, boundText(method), key, by),
    turnStarted: (turn) => live() && nativeTurnStarted(s, turn.origin, turn.native),
    turnEnded: (turn) => live() && nativeTurnEnded(s, { stop: turn.stop, error: turn.error }, turn.native),
    taken: (id) => live() && messageTaken(s, id),
    briefed(id) {
      if (s.epoch === epoch) s.briefedBy = id
    },
    returned(id) {
      if (!live()) return
      messageReturned(s, id)
      s.context.advance(s)
    },
    image: (bytes, mime) => (live() ? keepImage(s, bytes, mime) : { type: "image", mime }),
    open: (item) => live() && openItem(s, item),
    delta: (key, part, text) => live() && deltaItem(s, key, part, text),
    snapshot: (key, part, whole) => live() && snapshotItem(s, key, part, whole),
    close: (key, end) => live() && closeItem(s, key, end),
    retry(group) {
      if (!live()) return
      for (const open of [...s.items.values()])
        if (group === undefined || open.item.group === group) failItem(s, open, "retried")
    },
    ask: (request, by) => live() && ask(s, request, by),
    unask: (key, reason) => live() && unask(s, key, reason),
    plan: (entries) => live() && s.rememberSequence("plan", s.append("plan.updated", { entries })),
    usage: (increment) => live() && addUsage(s, increment),
    session: (patch) => live() && patchFromAgent(s, patch),
    status: (label, detail) => live() && note(s, label, detail),
    error: (error) => live() && s.append("error", error),
    background(count) {
      if (!live() || s.record.background === count) return
      s.record.background = count
      s.idleSince = performance.now() // rest begins when the last work ends, in a turn or not
      s.append("session.updated", { background: count })
      s.context.advance(s)
    },
    ended: () => live() && endedByAgent(s),
    gone(exit) {
      if (!live()) return
      gone(s, exit)
      s.context.advance(s)
    },
  }
}

function note(s: Session, label: string, detail?: string): void {
  const content = [
    { type: "status" as const, label: boundText(`${s.record.agent}.${label}`), detail: detail && boundText(detail) },
  ]
  wholeItem(
    s,
    { kind: "status", turn_id: s.turn?.id, late: s.turn === undefined ? true : undefined, content },
    "completed",
  )
}

/** Valid, but nobody knows what it means: kept, never silent. */
function unknown(s: Session, line: string): void {
  let json: unknown
  try {
    json = parseOfAgent(line)
  } catch {
    json = headBytes(line, limits.unparsedLineBytes)
  }
  const content = [
    fitsBytes(line, limits.toolOutputBytes)
      ? { type: "json" as const, json }
      : { type: "text" as const, text: headBytes(line, limits.unparsedLineBytes) },
  ]
  wholeItem(
    s,
    { kind: "unknown", turn_id: s.turn?.id, late: s.turn === undefined ? true : undefined, content },
    "completed",
  )
}

/** Not JSON, or not the protocol: our fault or the agent's. It is logged as an event, and is never a crash. */
function unparsed(s: Session, line: string, error: unknown): void {
  const raw_hash = new Bun.CryptoHasher("sha256").update(line).digest("hex")
  const reason = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  s.append("agent.unparsed", {
    error: reason.slice(0, 1_000),
    location: `${s.record.agent} stdout, line ${s.raw}`,
    raw_hash,
  })
  s.context.log("warn", "unparsed line from an agent", {
    session: s.record.id,
    agent: s.record.agent,
    error: reason.slice(0, 200),
  })
}
