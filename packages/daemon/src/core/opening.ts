import { mkdirSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { type AgentError, SandboxAgentError } from "@sandbox-agent/schema/error"
import { Confinement } from "../files/confinement.ts"
import { agentFiles } from "./agent-files.ts"
import { agentStatsOf, recordFailure } from "./agent-stats.ts"
import { agentDataDirectory } from "./agent-user.ts"
import { applyDeferred, settingsOf } from "./applied-settings.ts"
import type { Context } from "./context.ts"
import { withDeadline } from "./deadline.ts"
import type { Driver, Host, Native, OpenFrom } from "./driver.ts"
import { fullDisk } from "./full-disk.ts"
import { stopLongestIdle } from "./idle-agents.ts"
import { assertLogin } from "./login.ts"
import { McpStderr } from "./mcp-stderr.ts"
import { drop, ownerOf } from "./process.ts"
import { assertSupported } from "./programs.ts"
import { logRebuilt, type Recalled, recall } from "./recall.ts"
import { statusFromRequests } from "./requests.ts"
import type { Session } from "./session.ts"
import { settleWork } from "./settle.ts"
import { sinkFor } from "./sink.ts"
import { layOutSkills } from "./skill-folders.ts"

export function hostFor(context: Context, agent: string): Host {
  const { agentUser } = context
  const home = join(agentDataDirectory(context), "agents", agent)
  const asAgent: Host["asAgent"] = (work) => (agentUser === undefined ? work() : agentUser.run(work))
  asAgent(() => void mkdirSync(home, { recursive: true, mode: 0o700 }))
  const remove: Host["remove"] = (folder) =>
    agentUser === undefined ? rm(folder, { recursive: true, force: true }) : agentUser.remove(folder)
  const log: Host["log"] = (level, message, fields) => context.log(level, message, { agent, ...fields })
  const restarted = () => countRestart(context, agent)
  const { supervisor } = context
  const environment: Host["environment"] = (given) => supervisor.environment(agent, given)
  const spawn: Host["supervisor"]["spawn"] = (options) => supervisor.spawn({ ...options, agent })
  const reach = new Confinement([], [], [], agentUser)
  const skills: Host["layOutSkills"] = (...given) => layOutSkills(context, asAgent, ...given)
  const files = { home, asAgent, reach, layOutSkills: skills, remove }
  return { ...files, supervisor: { spawn }, environment, restarted, log, intervals: context.intervals }
}

function countRestart(context: Context, agent: string): void {
  agentStatsOf(context, agent).restarts += 1
}

/** While too much of this session waits for the disk, nothing more is read from its agents. */
function gatedHost(s: Session): Host {
  const host = hostFor(s.context, s.record.agent)
  const room = () => s.held ?? s.context.store.room(s.log)
  const spawn: Host["supervisor"]["spawn"] = (options) => host.supervisor.spawn({ gate: room, ...options })
  return { ...host, supervisor: { spawn }, room, files: agentFiles(s) }
}

/** Has the agent open, starting or resuming it if it is not. One opening at a time. */
export function ensureOpen(s: Session): Promise<void> {
  if (s.native !== undefined) return Promise.resolve()
  // One that was given up is still being cleared away.
  if (s.opening !== undefined && s.abandon === undefined) {
    const again = () => ensureOpen(s)
    return s.opening.then(again, again)
  }
  s.opening ??= open(s).finally(() => {
    s.opening = undefined
    stopLongestIdle(s.context)
  })
  return s.opening
}

async function open(s: Session): Promise<void> {
  const { driver, record } = s
  if (driver === undefined)
    throw new SandboxAgentError("unsupported_agent", `this daemon has no agent ${record.agent}`, {
      agent: record.agent,
    })
  if (record.status === "ended" || s.deleted)
    throw new SandboxAgentError("conflict", `session ${record.id} has ended`, { sessionId: record.id })
  s.epoch++
  applyDeferred(s, "next_turn")
  applyDeferred(s, "reopen")
  s.setProcess("starting")
  const abandoned = Promise.withResolvers<never>()
  const abandon = () =>
    abandoned.reject(new SandboxAgentError("agent_process_exited", "the agent went away while it was starting"))
  s.abandon = abandon
  const stats = agentStatsOf(s.context, record.agent)
  stats.starting += 1
  try {
    await Promise.race([s.closing, abandoned.promise])
    await assertLogin(s, driver)
    opened(s, await recall(s, (from) => attempt(s, driver, from, abandoned.promise)))
  } catch (error) {
    const ours = s.abandon === abandon
    if (ours) drop(s)
    await s.context.supervisor.killOwner(ownerOf(s))
    if (s.native === undefined) s.setProcess("none")
    const known = SandboxAgentError.is(error)
      ? error
      : (fullDisk(error) ?? new SandboxAgentError("internal", String(error)))
    // One that was given up while it started did not fail, nor one that was asked for what it cannot do.
    if (ours && ofTheProgram.includes(known.code)) recordFailure(stats, known.detail)
    record.error = await withVersions(driver, known.toAgentError(record.agent, record.id))
    throw error
  } finally {
    stats.starting -= 1
  }
}

/** One start of the agent. What an earlier one says comes to nothing. */
async function attempt(s: Session, driver: Driver, from: OpenFrom, abandoned: Promise<never>): Promise<Native> {
  let awaited = ""
  const awaits: Host["awaits"] = (what) => {
    awaited = `: it waited for ${what}`
  }
  const host: Host = { ...gatedHost(s), awaits }
  s.mcpStderr = await stderrFor(s, driver, host)
  if (s.abandon === undefined) return abandoned // between two tries, or just now
  const { record } = s
  const giveUp = new AbortController()
  const options = {
    signal: giveUp.signal,
    from,
    sessionId: record.id,
    owner: ownerOf(s),
    agentVersion: record.pinnedVersion,
    directory: record.directory,
    title: record.title,
    env: s.secrets.env ?? {},
    settings: { ...settingsOf(s), ...s.trial },
  }
  const epoch = ++s.epoch
  const opening = driver.open(options, sinkFor(s, epoch), host)
  try {
    const { openMs } = s.context.deadlines
    return await withDeadline(
      Promise.race([opening, abandoned, notSupported(driver)]),
      openMs,
      `agent ${record.agent} did not start`,
      () => awaited,
    )
  } catch (error) {
    giveUp.abort(error)
    if (s.epoch === epoch) givenUp(s)
    // One that hangs or starts after its deadline has no owner any more.
    opening.then((late) => late.kill()).catch(() => undefined)
    throw error
  }
}

/** Nothing that an agent asked or began while it started is of use to the next one. */
function givenUp(s: Session): void {
  s.epoch++
  settleWork(s, "all", "lost")
  s.forwardedRequests.clear()
  statusFromRequests(s)
}

/** Where its servers say what is wrong with them. What stands in the way of that keeps no session from being opened. */
async function stderrFor(s: Session, driver: Driver, host: Host): Promise<McpStderr | undefined> {
  const { mcp } = s.secrets
  if (!driver.takes.mcpFailures || mcp === undefined) return undefined
  const opening = McpStderr.open(mcp, s.record.directory, host)
  return withDeadline(opening, s.context.deadlines.heldMs, "the files did not open").catch((error: unknown) => {
    host.log("warn", "what MCP servers write to stderr is not kept", { session: s.record.id, error: String(error) })
    return undefined
  })
}

const ofTheProgram = ["agent_process_exited", "timeout", "stream_error", "internal"]

/** An agent that does not start may be one that is older or newer than its driver. */
async function withVersions(driver: Driver, error: AgentError): Promise<AgentError> {
  if (error.code !== "not_supported" && !ofTheProgram.includes(error.code)) return error
  const { version, tested } = await driver.programs.locate(undefined, "skip")
  if (version === undefined || tested === undefined || version === tested) return error
  // It is about them already.
  if (error.message.includes(tested)) return error
  return { ...error, hint: `${error.hint ?? ""} Its version is ${version}; tested is ${tested}.`.trim() }
}

/** Rejects when a program that was started before its version was known turns out to be one that its driver does not support. */
async function notSupported(driver: Driver): Promise<never> {
  const never = new Promise<never>(() => undefined)
  if ((await driver.programs.locate(undefined, "skip")).version !== undefined) return never
  assertSupported(driver.agent, await driver.programs.locate(undefined, "complete"))
  return never
}

function opened(s: Session, { native, continued, rebuilt }: Recalled): void {
  const { record } = s
  s.abandon = undefined
  s.native = native
  s.continued = continued
  s.spoken = false
  s.briefedBy = undefined
  const stats = agentStatsOf(s.context, record.agent)
  stats.open += 1
  stats.failed = false
  if (s.lost && !s.driver?.shared) countRestart(s.context, record.agent)
  s.lost = false
  record.openFrom = undefined
  record.resumeFailures = undefined
  record.error = undefined
  record.native = { ...native.ref }
  s.nativeIdChanged()
  if (rebuilt !== undefined) logRebuilt(s, rebuilt)
  s.setProcess("live")
  s.context.open.add(s)
  s.idleSince = performance.now() // it may have rested without an agent for long
}
