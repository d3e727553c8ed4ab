import { only } from "../events.ts"
import type { AcpApi } from "./acp-api.ts"
import {
  type Difference,
  expectedLive,
  ignoringWording,
  type ReadBy,
  type RestView,
  shownItems,
  withoutAskedCalls,
} from "./differences.ts"
import type { FaceClient } from "./face-client.ts"
import { foldItems } from "./fold-items.ts"
import { foldUpdates } from "./fold-updates.ts"
import { differencesBetween, type Transcript } from "./transcript.ts"

/**
 * Whether a client that was there, one that comes later and REST tell of the same conversation, in every session of a
 * scenario; and what was wrong with the messages themselves. In words, none when all is well.
 */
export async function disagreements(api: AcpApi, sessions: readonly string[]): Promise<string[]> {
  if (!api.connected || sessions.length === 0) return []
  const client = await api.client
  const wrong: string[] = []
  const late = await api.connect()
  try {
    for (const id of sessions) {
      await caughtUp(api, client, id)
      const shown = { live: liveOf(api, client, id), loaded: await loadedBy(api, late, id) }
      const restView: RestView = { items: (await api.items(id)).items, events: await api.events(id) }
      for (const way of ["live", "loaded"] as const)
        wrong.push(...compared(way, shown[way], restView, api, id).map((text) => `${id}, ${way}: ${text}`))
      api.run.compared++
    }
  } finally {
    await late.http.close()
  }
  return [...wrong, ...client.wrong, ...late.wrong.map((text) => `loaded: ${text}`)]
}

/** The turn is over, every prompt is answered, and the client has received all of it: answers come after updates. */
async function caughtUp(api: AcpApi, { http }: FaceClient, id: string): Promise<void> {
  const { status } = await api.session(id)
  if (status !== "idle" && status !== "ended") throw new Error(`${id} is ${status} at the end of the scenario`)
  // The scenario has seen the error of one that was refused.
  for (const { session, ended } of api.prompts) if (session === id) await ended.catch(() => {})
  await caughtUpWithStream(http, id)
}

/** The answer to this comes on the session's own stream, after everything that was sent there before. */
const caughtUpWithStream = (http: FaceClient["http"], sessionId: string): Promise<unknown> =>
  http.extMethod("_sandboxagent/session/list_models", { sessionId })

function liveOf(api: AcpApi, client: FaceClient, id: string): Transcript {
  const stops = api.prompts.flatMap(({ session, end }) => (session === id && end?.turnId ? [end.stop] : []))
  return { ...foldUpdates(client.updatesOf(id)), stops }
}

async function loadedBy(api: AcpApi, client: FaceClient, id: string): Promise<Transcript> {
  await client.http.loadSession({ sessionId: id, cwd: api.directoryOf(id), mcpServers: [] })
  // That answer came by the connection's stream, the history by the session's: two sockets, of which a busy client may
  // read either first.
  await caughtUpWithStream(client.http, id)
  return foldUpdates(client.updatesOf(id))
}

function compared(way: ReadBy, shown: Transcript, restView: RestView, api: AcpApi, id: string): string[] {
  const met = (difference: Difference) => api.run.met.add(difference)
  const speaksAcp = api.subject.speaks === "acp"
  const plan = only(restView.events, "plan.updated").at(-1)?.data.entries
  const due: Transcript = {
    entries: foldItems(shownItems(way, restView, speaksAcp, met)),
    plan: plan?.map(({ content, status }) => ({ content, status })),
  }
  const stops = stopsOf(api, restView, id)
  if (way === "live") due.stops = stops
  else if (stops.length > 0) met("stops")
  const comparable = { ...shown, entries: withoutAskedCalls(way, shown, met) }
  if (way === "live" && !speaksAcp) due.entries = expectedLive(due.entries, comparable.entries, met)
  const wrong = differencesBetween(comparable, due)
  if (wrong.length === 0 || !speaksAcp) return wrong
  met("wording")
  return differencesBetween(ignoringWording(comparable), ignoringWording(due))
}

/** How the turns ended that took the client's prompts, in the order of the prompts. */
function stopsOf(api: AcpApi, { events }: RestView, id: string): string[] {
  const ends = only(events, "turn.ended")
  return api.prompts.flatMap(({ session, end }) => {
    if (session !== id || end?.messageId === undefined) return []
    const { messageId } = end
    return ends.filter(({ data }) => data.message_ids.includes(messageId)).map(({ data }) => data.stop_reason)
  })
}
