import { resolve } from "node:path"
import { type AgentError, SandboxAgentError } from "@sandbox-agent/schema/error"
import type { CreateSession } from "@sandbox-agent/schema/session"
import { pastOf } from "./agent-queries.ts"
import { keepBlob } from "./attachments.ts"
import type { Client } from "./client.ts"
import { tellingOrigin, type Wanted, withConfig } from "./config/applied.ts"
import { assertDirectory } from "./directory.ts"
import type { Driver, NativeRef, PastItem } from "./driver.ts"
import { wholeItem } from "./items.ts"
import { assertMode } from "./modes.ts"
import { ensureOpen, hostFor } from "./opening.ts"
import { assertTaken } from "./options.ts"
import { isRefusal } from "./refusals.ts"
import { assertMayBegin } from "./rights.ts"
import { dispatch } from "./send.ts"
import type { Session } from "./session.ts"
import type { Sessions } from "./sessions.ts"

export interface Created {
  healthy: boolean
  error?: AgentError
  session: Session
}

/** Writes the beginning of a new session's log. */
type Begin = (s: Session) => void
/** Asked in the moment before a session is made; may refuse. */
export type Preparation = () => Begin

/** A session as a client asks for it: who may not begin one with such rights is refused. */
export async function beginSession(
  sessions: Sessions,
  id: string | undefined,
  body: CreateSession,
  client: Client,
): Promise<Created> {
  await assertMayBegin(sessions.context, body.permissionMode, client)
  return createSession(sessions, id ?? sessions.newId(), body)
}

export async function createSession(
  sessions: Sessions,
  id: string,
  body: CreateSession,
  prepare?: Preparation,
  // A fork has what its parent has, and that has been configured already.
  isConfigured = prepare !== undefined,
): Promise<Created> {
  const driver = sessions.driver(body.agent)
  sessions.assertFree(id)
  const directory = resolve(body.directory ?? sessions.context.defaultDirectory)
  await assertDirectory("directory", body.directory ?? directory, sessions.context)
  const wanted = isConfigured ? body : await withConfig(sessions.context, body, directory)
  await tellingOrigin(wanted, body, assertTaken(driver, wanted, directory, sessions.context))
  const installation = await driver.programs.locate(undefined, "skip")
  if (!installation.installed && driver.programs.ensure === undefined)
    throw new SandboxAgentError("agent_not_installed", `agent ${body.agent} is not installed`, { agent: body.agent })
  // A version of its own, or none there yet: the session is listed as `installing` until it is.
  if (!installation.installed || (body.agentVersion !== undefined && driver.programs.ensure !== undefined))
    return createInstalling(sessions, id, wanted, driver, directory, prepare)
  return createOn(sessions, id, wanted, driver, directory, installation.version, prepare)
}

/** A failed install leaves no session behind. */
async function createInstalling(
  sessions: Sessions,
  id: string,
  body: Wanted,
  driver: Driver,
  directory: string,
  prepare?: Preparation,
): Promise<Created> {
  const prepared = prepare ?? (await preparationOf(sessions, driver, body))
  sessions.assertFree(id)
  const begin = prepared()
  const waiting = sessions.insert(id, body, directory)
  waiting.setStatus("installing", false)
  begin(waiting)
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
    const { version } = (await driver.programs.ensure?.(body.agentVersion)) ?? {}
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
  body: Wanted,
  driver: Driver,
  directory: string,
  version?: string,
  prepare?: Preparation,
): Promise<Created> {
  await assertMode(sessions.context, driver, body.agentMode)
  const prepared = prepare ?? (await preparationOf(sessions, driver, body))
  sessions.assertFree(id)
  const begin = prepared()
  const session = sessions.insert(id, body, directory, version)
  begin(session)
  const error = await firstFailure(sessions, session)
  const unproven = error !== undefined && version === undefined && session.record.status !== "ended"
  // A program that was taken before it told its version may turn out to be none: then one is installed after all.
  if (
    unproven &&
    driver.programs.ensure !== undefined &&
    !(await driver.programs.locate(undefined, "complete")).installed
  ) {
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
    s.record.agentVersion = (await s.driver?.programs.locate())?.version
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
  s.record.endedAt = undefined
  s.append("session.started", { metadata: s.record.metadata, resumed: true }, "daemon")
  s.setStatus("starting", false)
  return start(s)
}

/** A new session begins empty, or with what the agent tells of a native session that is adopted. */
async function preparationOf(sessions: Sessions, driver: Driver, body: CreateSession): Promise<Preparation> {
  const { nativeSessionId: id } = body
  if (id === undefined) return () => (s) => void s.append("session.started", { metadata: s.record.metadata }, "daemon")
  const host = hostFor(sessions.context, driver.agent)
  const ref = { id, home: host.home, durable: true }
  assertUnowned(sessions, driver, id)
  // Read before anything is made: it may not exist.
  const past = await pastOf(sessions.context, driver, ref)
  return () => {
    assertUnowned(sessions, driver, id)
    return (s) => adopt(s, ref, past)
  }
}

/** From now on the native session has an owner. */
function adopt(s: Session, ref: NativeRef, past: PastItem[]): void {
  s.record.openFrom = { kind: "adopt", ref }
  s.record.native = { ...ref }
  s.nativeIdChanged()
  s.append("session.started", { metadata: s.record.metadata, adopted: true }, "daemon")
  for (const { kind, role, content, blobs = [] } of past) {
    for (const { bytes, mime } of blobs) keepBlob(s, bytes, mime)
    wholeItem(s, { kind, role, content }, "completed", "daemon", true)
  }
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
