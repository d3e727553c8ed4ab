import { resolve } from "node:path"
import { type AgentError, SandboxAgentError } from "@sandbox-agent/schema/error"
import type { CreateSession } from "@sandbox-agent/schema/session"
import type { SessionRecord } from "../store/row-types.ts"
import { assertDirectory } from "./directory.ts"
import type { Driver, NativeRef, PastItem } from "./driver.ts"
import { wholeItem } from "./items.ts"
import { assertMode } from "./modes.ts"
import { ensureOpen, hostFor } from "./opening.ts"
import { assertTaken } from "./options.ts"
import { isRefusal } from "./refusals.ts"
import { dispatch } from "./send.ts"
import type { Session } from "./session.ts"
import type { Sessions } from "./sessions.ts"

export interface Created {
  healthy: boolean
  error?: AgentError
  session: Session
}

export async function createSession(sessions: Sessions, id: string, body: CreateSession): Promise<Created> {
  const driver = sessions.driver(body.agent)
  sessions.assertFree(id)
  const directory = resolve(body.directory ?? sessions.context.defaultDirectory)
  await assertDirectory("directory", body.directory ?? directory)
  await assertTaken(driver, body, directory)
  const installation = await driver.locate("at_once")
  if (!installation.installed && driver.ensure === undefined)
    throw new SandboxAgentError("agent_not_installed", `agent ${body.agent} is not installed`, { agent: body.agent })
  // A version of its own, or none there yet: the session is listed as `installing` until it is.
  if (!installation.installed || (body.agentVersion !== undefined && driver.ensure !== undefined))
    return createInstalling(sessions, id, body, driver, directory)
  return createOn(sessions, id, body, driver, directory, installation.version)
}

/** A failed install leaves no session behind. */
async function createInstalling(
  sessions: Sessions,
  id: string,
  body: CreateSession,
  driver: Driver,
  directory: string,
): Promise<Created> {
  const adopted =
    body.nativeSessionId === undefined ? undefined : await adoptable(sessions, driver, body.nativeSessionId)
  sessions.assertFree(id)
  const waiting = sessions.insert(id, body, directory)
  waiting.setStatus("installing", false)
  if (adopted !== undefined) own(waiting, adopted.ref)
  waiting.append("session.started", { metadata: waiting.record.metadata, adopted: adopted && true }, "daemon")
  if (adopted !== undefined) replay(waiting, adopted.past)
  return startInstalled(sessions, waiting, body, driver)
}

async function startInstalled(
  sessions: Sessions,
  waiting: Session,
  body: CreateSession,
  driver: Driver,
): Promise<Created> {
  await waiting.committed()
  try {
    const { version } = (await driver.ensure?.(body.agentVersion)) ?? {}
    await assertMode(sessions.context, driver, body.agentMode)
    if (waiting.deleted || waiting.record.status === "ended")
      throw new SandboxAgentError("conflict", `session ${waiting.record.id} was ended while its agent was installed`)
    waiting.record.agentVersion = version
  } catch (error) {
    if (!waiting.deleted) await sessions.delete(waiting)
    throw error
  }
  waiting.setStatus("starting", true)
  return started(waiting, await firstFailure(sessions, waiting))
}

async function createOn(
  sessions: Sessions,
  id: string,
  body: CreateSession,
  driver: Driver,
  directory: string,
  version?: string,
): Promise<Created> {
  await assertMode(sessions.context, driver, body.agentMode)
  const adopted =
    body.nativeSessionId === undefined ? undefined : await adoptable(sessions, driver, body.nativeSessionId)
  sessions.assertFree(id)
  const session = sessions.insert(id, body, directory, version)
  if (adopted !== undefined) own(session, adopted.ref)
  session.append("session.started", { metadata: session.record.metadata, adopted: adopted && true }, "daemon")
  if (adopted !== undefined) replay(session, adopted.past)
  const error = await firstFailure(sessions, session)
  const unproven = error !== undefined && version === undefined && session.record.status !== "ended"
  // A program that was taken before it told its version may turn out to be none: then one is installed after all.
  if (unproven && driver.ensure !== undefined && !(await driver.locate()).installed) {
    session.setStatus("installing", true)
    return startInstalled(sessions, session, body, driver)
  }
  return started(session, error)
}

const start = async (s: Session): Promise<Created> => started(s, await failureToOpen(s))

const failureToOpen = (s: Session): Promise<AgentError | undefined> =>
  ensureOpen(s).then(
    () => undefined,
    () => s.record.error,
  )

/** Of a session that is being made: what only the running agent could refuse leaves none behind. */
async function firstFailure(sessions: Sessions, s: Session): Promise<AgentError | undefined> {
  try {
    await ensureOpen(s)
    return undefined
  } catch (error) {
    if (!isRefusal(error) || s.deleted || s.record.status === "ended") return s.record.error
    await sessions.delete(s)
    throw new SandboxAgentError(error.code, error.detail, { agent: s.record.agent, ...error.context })
  }
}

/** The agent of a session that was starting is open, or not. What can be cured later leaves the session standing. */
async function started(s: Session, error: AgentError | undefined): Promise<Created> {
  // Ended meanwhile: its log is closed, and the caller is told all the same.
  if (error !== undefined && s.record.status !== "ended")
    s.append("error", { message: error.message, code: error.code }, "daemon")
  // It was asked while the agent started, and has answered by now.
  if (error === undefined && s.record.agentVersion === undefined)
    s.record.agentVersion = (await s.driver?.locate())?.version
  if (s.record.status === "starting") s.setStatus(s.requests.size > 0 ? "waiting" : "idle", true)
  await s.committed()
  dispatch(s)
  return { healthy: error === undefined, error, session: s }
}

export async function resumeSession(s: Session): Promise<Created> {
  s.assertWritable(true)
  if (s.record.status !== "ended")
    throw new SandboxAgentError("conflict", `session ${s.record.id} has not ended`, {
      sessionStatus: s.record.status,
    })
  if (!s.driver?.capabilities.resume)
    throw new SandboxAgentError("not_supported", `agent ${s.record.agent} cannot resume a session`)
  s.record.endedAt = undefined
  s.append("session.started", { metadata: s.record.metadata, resumed: true }, "daemon")
  s.setStatus("starting", false)
  return start(s)
}

/** A session of ours that begins where another stands. The folded items come first, so that it stands alone. */
export async function forkSession(
  sessions: Sessions,
  s: Session,
  id: string,
  atSequence?: number,
): Promise<Created & { forkedAtSequence: number }> {
  s.assertWritable(true)
  const { driver, record } = s
  if (!driver?.capabilities.fork)
    throw new SandboxAgentError("not_supported", `agent ${record.agent} cannot fork a session`)
  sessions.assertFree(id)
  if (atSequence !== undefined && atSequence > s.log.last)
    throw new SandboxAgentError("invalid_request", `atSequence: beyond the end of the log`, {
      lastSequence: s.log.last,
    })
  const head = sessions.context.rows.lastTurnEnd(record.uid, s.log.last)
  const at = sessions.context.rows.lastTurnEnd(record.uid, atSequence ?? s.log.last)
  if (at === undefined || !record.native.durable)
    throw new SandboxAgentError("conflict", "there is no finished turn to fork from", { sessionId: record.id })
  if (driver.forksAt !== "turn" && (s.turn !== undefined || at.id !== head?.id))
    throw new SandboxAgentError(
      "not_supported",
      `agent ${record.agent} forks only at the end of its last turn, while none runs`,
    )
  const metadata = inherited(record.metadata)
  const body: CreateSession = {
    agent: record.agent,
    agentVersion: record.pinnedVersion,
    ...pick(record),
    metadata,
    mcp: s.secrets.mcp,
    env: s.secrets.env,
  }
  const child = sessions.insert(id, body, record.directory, record.agentVersion)
  child.record.openFrom = { kind: "fork", ref: { ...record.native }, at: at.nativeRef }
  child.append("session.started", { metadata, forked_from: record.id }, "daemon")
  sessions.context.store.write(() => sessions.context.rows.shareBlobs(record.uid, child.record.uid))
  const forkedAtSequence = at.endedSeq ?? s.log.last
  const ids = new Map<string, string>() // the child's items hang on each other as the parent's did
  for (const row of sessions.context.rows.items(record.uid)) {
    if (row.completedSeq === null || row.completedSeq > forkedAtSequence) continue
    const { item_id, status, turn_id: _, parent_id, message_id: __, ...item } = JSON.parse(row.json)
    ids.set(item_id, wholeItem(child, { ...item, parent_id: ids.get(parent_id) }, status, "daemon", true))
  }
  return { ...(await start(child)), forkedAtSequence }
}

/** From now on the native session has an owner. */
function own(s: Session, ref: NativeRef): void {
  s.record.openFrom = { kind: "adopt", ref }
  s.record.native = { ...ref }
  s.nativeIdChanged()
}

function replay(s: Session, past: PastItem[]): void {
  for (const { kind, role, content } of past) wholeItem(s, { kind, role, content }, "completed", "daemon", true)
}

/** What is needed to adopt a native session, read before anything is made: it may not exist. */
async function adoptable(
  sessions: Sessions,
  driver: Driver,
  id: string,
): Promise<{ ref: NativeRef; past: PastItem[] }> {
  const host = hostFor(sessions.context, driver.agent)
  const ref = { id, home: host.home, durable: true }
  assertUnowned(sessions, driver, id)
  const past = await Array.fromAsync(driver.history?.(ref, host) ?? [])
  assertUnowned(sessions, driver, id)
  return { ref, past }
}

function assertUnowned(sessions: Sessions, driver: Driver, nativeId: string): void {
  if (!driver.capabilities.resume)
    throw new SandboxAgentError("not_supported", `agent ${driver.agent} cannot adopt a session`, {
      agent: driver.agent,
      option: "nativeSessionId",
    })
  sessions.context.store.flush() // also a session made just now
  const owner = sessions.context.rows.ownerOfNative(driver.agent, nativeId)
  if (owner !== undefined)
    throw new SandboxAgentError("conflict", `native session ${nativeId} belongs to session ${owner}`, {
      sessionId: owner,
    })
}

/** All that a client said of a session is true of its fork, except how it wanted this one called. */
function inherited({ requestedSessionId: _, ...metadata }: SessionRecord["metadata"]): SessionRecord["metadata"] {
  return metadata
}

const pick = ({ agentMode, permissionMode, model, variant, title, systemPrompt, skills }: SessionRecord) => ({
  agentMode,
  permissionMode,
  model,
  variant,
  title,
  systemPrompt,
  skills,
})
