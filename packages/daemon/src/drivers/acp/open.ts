import type { McpServer } from "@agentclientprotocol/sdk"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Mcp } from "@sandbox-agent/schema/session"
import { MemoryGone, NotSupported, type OpenFrom, type OpenOptions } from "../../core/driver.ts"
import { type Json, text } from "../shared/json.ts"
import { nativeIdOf } from "../shared/native-home.ts"
import { wordsOf } from "./failure.ts"
import { NotPutBack } from "./initial.ts"
import type { Abilities } from "./initialize.ts"
import { RpcError, type RpcFailure, rpcCodes } from "./peer.ts"
import type { ProcessLease } from "./server.ts"
import type { AcpSession } from "./session.ts"
import { OneSessionOnly } from "./sharing.ts"

/** Opens the native session and chooses in it what the settings say. */
export async function openSession(
  lease: ProcessLease,
  session: AcpSession,
  options: OpenOptions,
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const { process, abilities } = lease
  const { settings, from, signal } = options
  session.joined(process)
  const { id: agent, name } = session.agent
  if (settings.systemPrompt && !abilities.systemPrompt)
    throw new NotSupported(`${name} takes no system prompt from its client`, { agent, option: "systemPrompt" })
  const { id, result } = await process.opening(session, async () => {
    const opened = await withLogin(lease, session, environment, () => beginBesideOthers(lease, session, options))
    const named = text(opened.sessionId) || ownId(from)
    if (named === undefined || (from.kind === "fork" && named === from.ref.id))
      throw namedNone(from, session.agent.name)
    // Else what is said of the other would be taken for this one's.
    if (process.isOfAnother(named, session)) throw new OneSessionOnly(`two sessions are called ${named}`)
    if (signal.aborted) process.disown(named)
    else process.attach(named, session)
    return { id: named, result: opened }
  })
  // Told of one that nobody waits for any more: on a process that others use it would stay for ever.
  if (signal.aborted) return closeNative(lease, id)
  session.ref.id = id
  session.ref.durable = from.kind !== "new"
  if (from.kind === "new") await session.chooser.opened(result, "new")
  else await session.chooser.opened(result, from.ref.initial, { chosen: from.ref.chosen, wanted: settings })
  const { permissionMode, model, variant } = settings
  const agentMode = modeFor(session, options)
  await session.chooser
    .apply({ agentMode, permissionMode, model, variant }, id, session.change)
    .catch(letGo(from, agent))
  session.ref.initial = session.chooser.initial
  session.guard.changed()
  await chooseAgain(session, from, id)
}

/** One that stays where nobody knows whether it asks is not gone on with: the core begins another, and briefs it. */
const letGo =
  ({ kind }: OpenFrom, agent: string) =>
  (error: unknown): never => {
    if (!(error instanceof NotPutBack)) throw error
    if (kind === "new") throw new SandboxAgentError("unavailable", error.message, { agent })
    const { cause } = error
    throw cause instanceof RpcError && willPass(cause.failure) ? cause : new MemoryGone(error.message)
  }

/** What stands in its way has nothing to do with what it was asked for, and can be cured. */
const willPass = (failure: RpcFailure): boolean =>
  failure.code === rpcCodes.authRequired || curable.test(wordsOf(failure))
const curable =
  /\bauthenticat|\blog(?:ged)? ?in\b|\bapi.?key|\bnetwork|\bfetch|\bsocket|\bquota|\brate limit|\btimed? ?out|\bE(?:CONN|TIMEDOUT|NOTFOUND|AI_AGAIN)/i

/** Of a session that goes on a mode that can no longer be taken is let go: it would never be open again. */
function modeFor({ chooser, sink }: AcpSession, { from, settings }: OpenOptions): string {
  const { agentMode, permissionMode } = settings
  const refused = from.kind === "new" ? undefined : chooser.refusal(agentMode, permissionMode)
  if (refused === undefined) return agentMode
  sink.status("mode", `${agentMode} is let go: ${refused.detail}`)
  sink.session({ agentMode: "build" })
  return "build"
}

/** Not every agent can have a second session; some say so when they are asked for one. */
async function beginBesideOthers(lease: ProcessLease, session: AcpSession, options: OpenOptions): Promise<Json> {
  try {
    return await begin(lease, session, options)
  } catch (error) {
    const refused = error instanceof RpcError && error.failure.code !== rpcCodes.authRequired
    if (!refused || options.from.kind !== "new" || !lease.process.hasOthers(session)) throw error
    throw new OneSessionOnly(error.message)
  }
}

/** Ends the session itself, where the agent has a word for that. */
export async function closeNative({ process, abilities }: ProcessLease, sessionId: string): Promise<void> {
  if (abilities.close) await process.request("session/close", { sessionId })
}

/** What was chosen of the agent's own options, before its process went. One it no longer offers is let go. */
async function chooseAgain(session: AcpSession, from: OpenFrom, id: string): Promise<void> {
  const chosen = from.kind === "new" ? from.chosen : from.ref.chosen
  if (chosen === undefined) return
  const { passthrough, permissionMode } = session.chooser
  for (const [option, value] of Object.entries(chosen))
    try {
      await passthrough.choose(option, value, permissionMode, id, session.change)
    } catch (error) {
      session.sink.status("option", `${option} is no longer ${JSON.stringify(value)}: ${String(error)}`)
    }
  session.ref.chosen = passthrough.chosen
}

/** One that goes on has its name; a fork under that of its parent would go on in the parent. */
const ownId = (from: OpenFrom): string | undefined =>
  from.kind === "new" || from.kind === "fork" ? undefined : from.ref.id

function namedNone({ kind }: OpenFrom, name: string): Error {
  const said = `${name} named no session`
  return kind === "fork"
    ? new MemoryGone(`${said} of its own for the fork`)
    : new SandboxAgentError("unavailable", said)
}

/** What is asked for the session. */
export function openingMethod({ resume }: Pick<Abilities, "resume">, { kind }: OpenFrom): string {
  if (kind === "new" || kind === "fork") return `session/${kind}`
  return resume ? "session/resume" : "session/load"
}

async function begin(lease: ProcessLease, session: AcpSession, options: OpenOptions): Promise<Json> {
  const { process, abilities } = lease
  const { from, directory: cwd, settings, signal } = options
  const prompt = settings.systemPrompt
    ? { systemPrompt: { mode: "append", content: [{ type: "text", text: settings.systemPrompt }] } }
    : {}
  const { name, traits } = session.agent
  const _meta = traits.sessionMeta
  const servers = mcpServers(settings.mcp, name, abilities.mcp)
  const place = { cwd, mcpServers: servers, ...prompt, ...(_meta && { _meta }) }
  const method = openingMethod(abilities, from)
  const ask = (params: object) => process.ask(method, params, session, { signal }).reply
  if (from.kind === "new") return ask(place)
  const sessionId = nativeIdOf(from.ref)
  // What comes before the answer belongs to this session, too.
  if (from.kind !== "fork") process.attach(sessionId, session)
  const known = { sessionId, ...place }
  if (from.kind === "fork") {
    if (!abilities.fork) throw new MemoryGone(`${name} no longer forks sessions`)
    return ask(known)
  }
  if (abilities.resume) return ask(known)
  if (!abilities.load) throw new MemoryGone(`${name} cannot go on with an old session`)
  session.replaying = true
  return ask(known).finally(() => {
    session.replaying = false
  })
}

/** One that wants a login gets it, where a variable that is set is one. */
async function withLogin(
  { process }: ProcessLease,
  session: AcpSession,
  environment: Readonly<Record<string, string>>,
  open: () => Promise<Json>,
): Promise<Json> {
  try {
    return await open()
  } catch (error) {
    if (!(error instanceof RpcError) || error.failure.code !== rpcCodes.authRequired) throw error
    const way = session.agent.traits.login?.find(
      ({ method, env: name = "" }) => method !== undefined && Boolean(environment[name]),
    )
    if (way === undefined) throw error
    await process.request("authenticate", { methodId: way.method }, session)
    return open()
  }
}

/** Every agent takes servers it starts itself; of the others it says which. */
export function mcpServers(mcp: Mcp = {}, agent: string, can: { http: boolean; sse: boolean }): McpServer[] {
  return Object.entries(mcp).map(([name, server]): McpServer => {
    if (!("url" in server)) return { name, command: server.command, args: server.args ?? [], env: pairs(server.env) }
    if (!can[server.type])
      throw new NotSupported(`${agent} takes no MCP servers over ${server.type}`, { option: "mcp" })
    return { type: server.type, name, url: server.url, headers: pairs(server.headers) }
  })
}

const pairs = (values: Readonly<Record<string, string>> = {}): { name: string; value: string }[] =>
  Object.entries(values).map(([name, value]) => ({ name, value }))
