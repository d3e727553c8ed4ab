import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Item } from "@sandbox-agent/schema/item"
import { limits } from "@sandbox-agent/schema/limits"
import type { RestoreSession } from "@sandbox-agent/schema/restore"
import { keepBlob } from "./attachments.ts"
import { cutMiddle } from "./bounds.ts"
import type { Client } from "./client.ts"
import { type Created, createSession } from "./creation.ts"
import { decisionText } from "./decisions.ts"
import type { Driver } from "./driver.ts"
import { inherit } from "./inherit.ts"
import { wholeItem } from "./items.ts"
import { placeNativeState } from "./native-state.ts"
import { hostFor } from "./opening.ts"
import { hasPast } from "./past.ts"
import { assertMayBegin, assertMayBring } from "./rights.ts"
import type { Session } from "./session.ts"
import type { Sessions } from "./sessions.ts"

export type Restored = Created & { context?: "native" | "rebuilt" }

type Told = Pick<RestoreSession, "items" | "plan" | "error" | "decisions" | "blobs">
type OpenFrom = NonNullable<Session["record"]["openFrom"]>

/**
 * A session that another daemon had, from what was said in it: in the agent's own session where that is still here, or in a new
 * conversation with a brief. Its log begins with the items of the old one.
 */
export async function restoreSession(
  sessions: Sessions,
  id: string,
  { items, plan, error, decisions, blobs, nativeSessionId, nativeState, ...body }: RestoreSession,
  client: Client,
): Promise<Restored> {
  await assertMayBegin(sessions.context, body.permissionMode, client)
  await assertMayBring(sessions.context, body.mcp, client)
  const driver = sessions.driver(body.agent)
  const prepare = () => (s: Session) =>
    begin(s, { items, plan, error, decisions, blobs }, fromWhere(sessions, driver, nativeSessionId))
  if (nativeState !== undefined && nativeSessionId === undefined)
    throw new SandboxAgentError("invalid_request", "nativeState: give nativeSessionId with it")
  const isBrought = nativeState !== undefined && nativeSessionId !== undefined
  const placed = isBrought
    ? await placeNativeState(sessions, driver, {
        ...body,
        id,
        nativeSessionId,
        nativeState,
        isOwned: ownerOf(sessions, driver, nativeSessionId) !== undefined,
      })
    : undefined
  const created = await createSession(sessions, id, body, prepare, false).catch((error: unknown) => {
    placed?.remove()
    throw error
  })
  // What it goes on from is known once it is open.
  if (!created.healthy || !hasPast(created.session)) return created
  return { ...created, context: created.session.record.rebuiltAt === undefined ? "native" : "rebuilt" }
}

/** An agent that turns out to have no such session is told of it in a brief (recall). */
function fromWhere(sessions: Sessions, driver: Driver, nativeId: string | undefined): OpenFrom {
  const why = "restored from the log of another daemon"
  if (nativeId === undefined || !driver.capabilities.resume) return { kind: "brief", reason: why }
  const owner = ownerOf(sessions, driver, nativeId)
  if (owner !== undefined) return { kind: "brief", reason: `${why}; its native session belongs to ${owner}` }
  return { kind: "adopt", ref: { id: nativeId, home: hostFor(sessions.context, driver.agent).home, durable: true } }
}

function ownerOf({ context }: Sessions, driver: Driver, nativeId: string): string | undefined {
  context.store.flush() // also a session made just now
  return context.rows.ownerOfNative(driver.agent, nativeId)
}

function begin(s: Session, { items, plan, error, decisions = [], blobs = [] }: Told, openFrom: OpenFrom): void {
  s.append("session.started", { metadata: s.record.metadata, restored: true }, "daemon")
  s.record.turnError = error
  inherit(s, { decisions: decisions.filter(isDecided).map(lineOf) }, plan)
  const kept = new Set(blobs.map(({ mime, data }) => keepBlob(s, Buffer.from(data, "base64"), mime)))
  const ids = new Map<string, string>() // the items hang on each other as they did
  for (const { item_id, status, turn_id: _, parent_id, message_id: __, content, ...item } of items) {
    const parent = parent_id === undefined ? undefined : ids.get(parent_id)
    const whole = { ...item, parent_id: parent, content: content.map((part) => withBlobsOf(kept, part)) }
    ids.set(item_id, wholeItem(s, whole, status === "completed" ? "completed" : "failed", "daemon", true))
  }
  // Where nothing was said there is nothing to remember.
  if (!items.some(({ kind }) => kind === "message")) return
  s.record.openFrom = openFrom
  if (openFrom.kind !== "adopt") return
  s.record.native = { ...openFrom.ref }
  s.nativeIdChanged()
}

type Decision = NonNullable<Told["decisions"]>[number]

/** By a person. */
const isDecided = (decision: Decision): boolean =>
  decision.status !== "cancelled" &&
  decision.status !== "requested" &&
  ("question_id" in decision || decision.by === "client")

const lineOf = (decision: Decision): string => cutMiddle(decisionText(decision), limits.briefDecisionChars)

/** Bytes that did not come are in the store of the other daemon. */
function withBlobsOf(kept: ReadonlySet<string>, part: Item["content"][number]): Item["content"][number] {
  if ((part.type !== "image" && part.type !== "file_ref") || kept.has(part.blob ?? "")) return part
  const { blob: _, ...rest } = part
  return rest
}
