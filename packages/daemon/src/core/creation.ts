import { resolve } from "node:path"
import { type AgentError, SandboxAgentError } from "@sandbox-agent/schema/error"
import type { CreateSession } from "@sandbox-agent/schema/session"
import { type Preparation, preparationOf } from "./beginning.ts"
import type { Client } from "./client.ts"
import { withConfig, withConfigSource } from "./config/applied.ts"
import { assertDirectory } from "./directory.ts"
import type { Driver } from "./driver.ts"
import { installNote, installSteps } from "./install-notes.ts"
import { assertMode } from "./modes.ts"
import { ensureOpen } from "./opening.ts"
import { assertTaken } from "./options.ts"
import { isRefusal } from "./refusals.ts"
import { assertMayBegin, assertMayBring } from "./rights.ts"
import { dispatch } from "./send.ts"
import type { Session } from "./session.ts"
import type { Sessions } from "./sessions.ts"

export interface Created {
  healthy: boolean
  error?: AgentError
  session: Session
}

/** A session as a client asks for it: who may not begin one with such rights is refused. */
export async function beginSession(
  sessions: Sessions,
  id: string | undefined,
  body: CreateSession,
  client: Client,
): Promise<Created> {
  await assertMayBegin(sessions.context, body.permissionMode, client)
  await assertMayBring(sessions.context, body.mcp, client)
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
  const { context } = sessions
  const driver = sessions.driver(body.agent)
  sessions.assertFree(id)
  const directory = resolve(body.directory ?? context.defaultDirectory)
  await assertDirectory("directory", body.directory ?? directory, context)
  const wanted = isConfigured ? body : await withConfig(context, body, directory)
  await withConfigSource(wanted, body, assertTaken(driver, wanted, directory, context))
  const found = await driver.programs.locate(undefined, "skip")
  if (!found.installed && driver.programs.ensure === undefined)
    throw new SandboxAgentError("agent_not_installed", `agent ${body.agent} is not installed`, { agent: body.agent })
  // A version of its own, or none there yet: the session is listed as `installing` until it is.
  let installs = !found.installed || (body.agentVersion !== undefined && driver.programs.ensure !== undefined)
  // One that is not there yet is asked for its modes once it is.
  if (!installs) await assertMode(context, driver, wanted.agentMode)
  const prepared = prepare ?? (await preparationOf(sessions, driver, wanted))
  sessions.assertFree(id)
  const begin = prepared()
  const session = sessions.insert(id, wanted, directory, installs ? undefined : found.version)
  if (installs) session.setStatus("installing", false)
  begin(session)
  // Who follows the session from its beginning waits with it.
  if (installs) session.append("session.updated", { status: "installing" }, "daemon")
  for (;;) {
    if (installs) await installAgent(sessions, session, wanted, driver)
    const error = await firstFailure(sessions, session)
    installs = !installs && error !== undefined && (await isNoProgram(session, driver, found.version))
    if (!installs) return started(session, error)
    session.setStatus("installing", true)
  }
}

/** A failed install leaves no session behind. */
async function installAgent(sessions: Sessions, s: Session, body: CreateSession, driver: Driver): Promise<void> {
  await s.committed()
  try {
    const { version, notes = [] } = (await driver.programs.ensure?.(body.agentVersion, installSteps(s))) ?? {}
    for (const note of notes) installNote(s, note)
    await assertMode(sessions.context, driver, body.agentMode)
    if (s.deleted || s.record.status === "ended")
      throw new SandboxAgentError("conflict", `session ${s.record.id} was ended while its agent was installed`)
    s.record.agentVersion = version
  } catch (error) {
    if (!s.deleted) await sessions.delete(s)
    throw error
  }
  s.setStatus("starting", true)
}

/** A program that was taken before it gave its version may turn out to be none: then one is installed after all. */
async function isNoProgram({ record }: Session, { programs }: Driver, version: string | undefined): Promise<boolean> {
  if (version !== undefined || record.status === "ended" || programs.ensure === undefined) return false
  return !(await programs.locate(undefined, "complete")).installed
}

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
  // Ended meanwhile: its log is closed, and the caller gets the error all the same.
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
  s.context.log("info", "session resumed", { session: s.record.id, agent: s.record.agent })
  s.setStatus("starting", false)
  const error = await ensureOpen(s).then(
    () => undefined,
    () => s.record.error,
  )
  return started(s, error)
}
