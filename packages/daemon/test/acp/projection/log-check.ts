import type { Event } from "@sandbox-agent/schema/event"
import { replay } from "../../../src/faces/acp/projection/replay.ts"
import type { Sources } from "../../../src/faces/acp/projection/sources.ts"
import { Editor, unlike } from "./editor.ts"
import { clients, foldLog, projectLog } from "./log-projection.ts"
import { wrongEnvelopes } from "./protocol-schema.ts"

/** What is wrong with a whole log as ACP: for every client, as it happens and loaded afterwards. */
export function wrongsOfLog(events: readonly Event[], sources?: Sources): string[] {
  const id = events[0]?.session_id ?? ""
  const items = foldLog(events)
  // Loaded, what the agent said again is told once.
  const kept = items.filter(({ metadata, kind }) => kind !== "message" || metadata?.reason !== "retried")
  return Object.entries(clients).flatMap(([client, traits]) => {
    const live = projectLog(events, traits, sources)
    const loaded = replay(items, traits, id, sources)
    // Notices are not part of a transcript.
    const shown = traits.notices ? items.filter(({ kind }) => kind !== "system") : items
    const editor = new Editor().show(live)
    const wrong = [
      ...wrongEnvelopes(live, id),
      ...unlike(editor, shown),
      ...[...editor.asked].map((request) => `${request} is never taken back`),
      ...wrongEnvelopes(loaded, id).map((each) => `loaded: ${each}`),
      ...unlike(new Editor().show(loaded), kept).map((each) => `loaded: ${each}`),
    ]
    return wrong.map((each) => `${client}: ${each}`)
  })
}
