import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { Session as SessionView } from "@sandbox-agent/schema/session"
import { SessionIdSchema } from "@sandbox-agent/schema/session"
import { beginSession, type Created, resumeSession } from "../../../core/creation.ts"
import { terminateSession } from "../../../core/ending.ts"
import { forkSession } from "../../../core/fork.ts"
import { replaceMcp } from "../../../core/replace-mcp.ts"
import { assertMayBring, assertMayLoosen } from "../../../core/rights.ts"
import type { Session } from "../../../core/session.ts"
import type { Acp } from "../acp.ts"
import { askAgain, attach, sendFirstState, sendHistory, sendState } from "../attach.ts"
import { agentIn, type CallRequest, type Method, type Outcome, type Request, sessionIn } from "../method.ts"
import { isRecord, ours, oursIn } from "../projection/envelope.ts"
import { checked, invalid } from "../projection/invalid.ts"
import { forkOf, mcpIn, newSession } from "../projection/new-session.ts"
import { sessionInfo, sessionState } from "../projection/session.ts"
import { passthroughSettingsOf, settingsOf } from "../sources.ts"

export const createMethod: Method = async (request) => {
  const { acp, params } = request
  const { services } = acp
  const { id, create } = newSession(params, agentIn(request, oursIn(params).agent))
  const name = id === undefined ? undefined : checked(SessionIdSchema, id, "requestedSessionId")
  return begun(request, await beginSession(services.sessions, name, create, request.client))
}

export const forkMethod: Method = async (request) => {
  const { acp, params } = request
  const { services } = acp
  const s = sessionIn(request)
  const { requestedSessionId: id = services.sessions.newId(), ...given } = oursIn(params)
  const child = checked(SessionIdSchema, id, "requestedSessionId")
  const mcp = mcpIn(params)
  const fork = { ...forkOf(child, given), ...(mcp && { mcp }) }
  await assertMayLoosen(s, fork.permissionMode, request.client)
  await assertMayBring(services, mcp, request.client)
  await assertCwd(acp, request)
  const forked = await forkSession(services.sessions, s, fork)
  return begun(request, forked, { forkedAtSequence: forked.forkedAtSequence })
}

/** The answer for a session that was just made; its client is attached to it from its beginning. */
async function begun(request: CallRequest, created: Created, more: object = {}): Promise<Outcome> {
  const { acp, connection } = request
  const { session, healthy, error } = created
  const state = await (healthy ? stateOf : stateOrNone)(request, session)
  const health = healthy ? {} : { healthy, error }
  return {
    result: { sessionId: session.record.id, ...state, ...ours({ agent: session.record.agent, ...health, ...more }) },
    before: () => connection.fence(),
    after: () => {
      // A client that chose the id itself may have prompted already, and has heard it all.
      if (connection.attached(session.record.id) !== undefined) return
      attach(connection, session)
      sendFirstState(acp, connection, session)
      askAgain(acp, connection, session)
    },
  }
}

export const loadMethod: Method = async (request) => {
  const { acp, connection } = request
  const s = sessionIn(request)
  await assertCwd(acp, request)
  await takeMcp(request, s)
  const health = await revive(request, s)
  const result = { ...(await stateOrNone(request, s)), ...health }
  let history = 0
  return {
    result,
    before: () => {
      connection.fence()
      history = sendHistory(connection, s)
      history = sendState(acp, connection, s, "history") ?? history
      attach(connection, s)
    },
    after: () => askAgain(acp, connection, s),
    behind: { session: s.record.id, seq: () => history },
  }
}

export const resumeMethod: Method = async (request) => {
  const { acp, connection } = request
  const s = sessionIn(request)
  await assertCwd(acp, request)
  await takeMcp(request, s)
  const health = s.status === "ended" ? healthOf(await resumeSession(s)) : {}
  return {
    result: { ...(await stateOrNone(request, s)), ...health },
    before: () => connection.fence(),
    after: () => {
      sendState(acp, connection, s, "nothing")
      attach(connection, s)
      askAgain(acp, connection, s)
    },
  }
}

/** The session keeps its own; but a client that names one that is not here is on another machine, or has lost it. */
async function assertCwd(acp: Acp, { params }: Request): Promise<void> {
  const cwd = isRecord(params) ? params.cwd : undefined
  if (cwd === undefined || cwd === null) return
  if (typeof cwd !== "string") return invalid("cwd: a string is expected")
  await acp.services.sessions.assertDirectory("cwd", cwd)
}

/** None named means those that it has: a client that only looks on takes nobody's servers away. */
async function takeMcp({ acp, params, client }: Request, s: Session): Promise<void> {
  const mcp = mcpIn(params)
  if (mcp === undefined) return
  await assertMayBring(acp.services, mcp, client)
  await replaceMcp(s, mcp)
}

/** What a client is told of an agent that did not start: its session is there, and the next message tries again. */
const healthOf = ({ healthy, error }: Pick<Created, "healthy" | "error">): object =>
  healthy ? {} : ours({ healthy, error })

/** A session that was closed goes on; where its agent will not start its history can still be read. */
async function revive({ acp }: Request, s: Session): Promise<object> {
  if (s.status !== "ended") return {}
  try {
    return healthOf(await resumeSession(s))
  } catch (error) {
    if (!SandboxAgentError.is(error)) throw error
    acp.services.log("warn", "a loaded session could not be resumed", {
      session: s.record.id,
      error: String(error),
    })
    return healthOf({ healthy: false, error: { code: error.code, message: error.detail } })
  }
}

async function stateOf({ acp }: Request, s: Session): Promise<object> {
  if (s.driver === undefined) return {}
  const catalog = await acp.catalogs.of(s.record.agent)
  return sessionState(settingsOf(s), catalog, passthroughSettingsOf(s, catalog))
}

/** An agent that does not start cannot be asked what it offers: then it is what was heard last, or nothing. */
async function stateOrNone(request: Request, s: Session): Promise<object> {
  try {
    return await stateOf(request, s)
  } catch (error) {
    if (!SandboxAgentError.is(error)) throw error
    const catalog = request.acp.catalogs.known(s.record.agent)
    return catalog === undefined ? {} : sessionState(settingsOf(s), catalog, passthroughSettingsOf(s, catalog))
  }
}

export const listMethod: Method = async ({ acp, params }) => {
  const { cwd, cursor } = isRecord(params) ? params : {}
  const { agent } = oursIn(params)
  if (cwd !== undefined && cwd !== null && typeof cwd !== "string") return invalid("cwd: a string is expected")
  if (cursor !== undefined && cursor !== null && !(typeof cursor === "string" && /^\d{1,15}$/.test(cursor)))
    return invalid("cursor: not one of this list")
  const found: SessionView[] = []
  let next = cursor ?? undefined
  do {
    const query = {
      cursor: next,
      limit: limits.sessionsPageDefault,
      agent: typeof agent === "string" ? agent : undefined,
    }
    const page = acp.services.sessions.list(query)
    next = page.nextCursor
    found.push(...page.sessions.filter(({ directory }) => !cwd || directory === cwd))
  } while (found.length === 0 && next !== undefined)
  return { result: { sessions: found.map(sessionInfo), ...(next === undefined ? {} : { nextCursor: next }) } }
}

/** Its process goes and its queue; the session can be loaded or resumed again. */
export const closeMethod: Method = async (request) => {
  await terminateSession(sessionIn(request))
  return { result: {} }
}

export const deleteMethod: Method = async (request) => {
  await request.acp.services.sessions.delete(sessionIn(request))
  return { result: {} }
}
