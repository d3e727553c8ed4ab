import type { Event } from "@sandbox-agent/schema/event"
import type { Session } from "../../core/session.ts"
import type { Page } from "../../store/log.ts"
import type { LogReader } from "../../store/reader.ts"
import { isRecord } from "./projection/envelope.ts"
import type { Traits } from "./projection/traits.ts"

/** Events looked at before a page: those of one native line may stand in two. */
const LOOK_BACK = 32

/**
 * What an agent that speaks ACP itself said, to be sent in place of the projection: by sequence, the line that begins
 * there with our session id in it, or nothing where its line was sent with an earlier event. What is not in the map is
 * projected: events of ours, requests (their ids and options are ours), and lines that are no longer kept.
 */
export function verbatim(
  reader: LogReader,
  s: Session,
  page: Page,
  events: readonly Event[],
  traits: Traits,
): ReadonlyMap<number, string[]> {
  const instead = new Map<number, string[]>()
  if (s.driver?.protocol !== "acp") return instead
  const sent = new Set<number>()
  const from = Math.max(s.log.first, page.first - LOOK_BACK)
  for (const { sequence, raw, json } of reader.texts(s.log, from - 1, page.first + page.count - from)) {
    if (raw === 0) continue
    const event = events[sequence - page.first] ?? (JSON.parse(json) as Event)
    if (!isToldByLine(event)) continue
    const line = lineOf(reader.rawLine(s.record.uid, raw, sequence), s, traits)
    if (line === undefined) continue
    if (sequence >= page.first) instead.set(sequence, sent.has(raw) ? [] : [line])
    sent.add(raw)
  }
  reader.forgetRaw()
  return instead
}

/** Whether the agent's own line says what the event says. What the core decides, or adds, only the event tells. */
function isToldByLine({ type, data }: Event): boolean {
  switch (type) {
    case "item.started":
    case "item.completed":
      return data.item.role !== "user"
    case "item.delta":
    case "plan.updated":
    case "usage.updated":
    case "session.updated":
    case "agent.native":
      return true
    default:
      return false
  }
}

/** Updates whose meaning is ours: settings are the core's, and a message of the user stands in the log once. */
const oursToTell = new Set(["user_message_chunk", "config_option_update", "current_mode_update"])
const compaction = /^compaction_/

function lineOf(raw: string | undefined, s: Session, traits: Traits): string | undefined {
  if (raw === undefined) return undefined
  const message = parsed(raw)
  // Requests are asked under our ids or served by the daemon, and answers are the core's business.
  if (!isRecord(message) || typeof message.method !== "string" || "id" in message) return undefined
  if (message.method.startsWith("$/") || !isRecord(message.params)) return undefined
  if (message.method === "session/update") {
    const kind = isRecord(message.params.update) ? String(message.params.update.sessionUpdate) : ""
    if (oursToTell.has(kind) || compaction.test(kind) || (kind === "notice" && !traits.notices)) return undefined
  }
  const params = "sessionId" in message.params ? { ...message.params, sessionId: s.record.id } : message.params
  return JSON.stringify({ ...message, params })
}

function parsed(raw: string): unknown {
  try {
    return JSON.parse(raw)
  } catch {
    return undefined // a line that is not the protocol has an event of its own
  }
}
