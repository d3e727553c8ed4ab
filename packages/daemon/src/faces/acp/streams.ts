import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { whenGone } from "../http/gone.ts"
import { assertRoomForStream, follow, sseResponse } from "../http/sse.ts"
import type { Acp } from "./acp.ts"
import { sendDeletedNotices } from "./attach.ts"
import type { Connection } from "./connection.ts"
import type { Cursor } from "./entry.ts"
import { Feed } from "./feed.ts"
import { StreamRuns } from "./stream-runs.ts"
import { type Part, partKey } from "./visibility.ts"

/** As many digits as an id of ours may have. */
const MOST_K = 999_999_999_999_999

/** Where a stream begins: after `Last-Event-ID`, or at the place given. A cursor that cannot be served is refused. */
function cursorIn(acp: Acp, request: Request, connection: Connection, start: Cursor): Cursor {
  const given = request.headers.get("last-event-id")
  if (given === null || given === "") return start
  const [, pos, k] = /^(\d{1,15})\.(\d{1,15})$/.exec(given) ?? []
  if (pos === undefined || k === undefined)
    throw new SandboxAgentError("invalid_request", "Last-Event-ID: not the id of a message of these streams")
  const { nextPos } = acp.store
  if (Number(pos) >= nextPos)
    throw new SandboxAgentError("invalid_request", `Last-Event-ID: ${given} is beyond the last message`, {
      lastEventId: `${nextPos - 1}.0`,
    })
  if (Number(pos) < connection.doc.startPos - 1)
    throw new SandboxAgentError("gone", `Last-Event-ID: ${given} is from before this connection`, {
      hint: "Initialize again and load the sessions with session/load.",
    })
  return { pos: Number(pos), k: Number(k) }
}

/** Before the first message of all there is nothing to have. */
const idOf = ({ pos, k }: Cursor): string | undefined => (pos < 0 ? undefined : `${pos}.${Math.min(k, MOST_K)}`)

/** Whoever names no cursor is told once of what is no longer kept, and begins with what comes after that. */
function feedOf(
  acp: Acp,
  connection: Connection,
  part: Part,
  after: Cursor,
  isNamed: boolean,
  key: string = partKey(part),
): Feed {
  try {
    return new Feed(acp, connection, part, after, key, isNamed || connection.had.has(key))
  } catch (error) {
    if (!isNamed) {
      connection.fence()
      connection.had.delete(key)
      connection.given.set(key, { pos: acp.store.nextPos - 1, k: Number.MAX_SAFE_INTEGER })
    }
    throw error
  }
}

/** Opens a stream; one that has the same name ends. */
export function openStream(
  acp: Acp,
  request: Request,
  connection: Connection,
  part: Part,
  start: Cursor,
  key?: string,
): Response {
  assertRoomForStream()
  const after = cursorIn(acp, request, connection, start)
  sendDeletedNotices(acp, connection)
  const feed = feedOf(acp, connection, part, after, after !== start, key)
  connection.feeds.get(feed.key)?.end()
  connection.feeds.set(feed.key, feed)
  // Also when the client leaves before anything was asked of the stream.
  whenGone(request, () => feed.end())
  const { stalled } = acp.services
  return sseResponse(follow({ log: feed, reader: new StreamRuns(), cursor: 0, after: idOf(after), request, stalled }))
}
