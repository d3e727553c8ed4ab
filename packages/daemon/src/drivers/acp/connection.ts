import { unlessAborted } from "../../core/deadline.ts"
import type { Host, Native, OpenOptions } from "../../core/driver.ts"
import type { Exit, Sink } from "../../core/driver-sink.ts"
import type { Json } from "../shared/json.ts"
import type { Launcher } from "../shared/launcher.ts"
import { isTimeout } from "../shared/pool.ts"
import { SessionMember } from "../shared/session-member.ts"
import { type AcpAgent, loginVariables } from "./agent.ts"
import type { CapabilityCache } from "./capability-cache.ts"
import { loginHint, typed } from "./failure.ts"
import { forgotten } from "./forgotten.ts"
import { nativeOf } from "./native-session.ts"
import { closeNative, openingMethod, openSession } from "./open.ts"
import { type Project, projectOf, withVariables } from "./project.ts"
import type { ProcessLease, Servers } from "./server.ts"
import { AcpSession } from "./session.ts"
import { commonOf, OneSessionOnly, type Sharing, sharingOf } from "./sharing.ts"

export interface Runtime {
  agent: AcpAgent
  servers: Servers
  launcher: Launcher
  learned: CapabilityCache
  /** What the agent says of itself in a new session. */
  learn(): Promise<Json>
}

/** Starts the agent, or joins one that runs, on a new or an old conversation; resolves when it is open. */
export async function openConnection(runtime: Runtime, options: OpenOptions, sink: Sink, host: Host): Promise<Native> {
  const { agent, servers } = runtime
  const project = await projectOf(agent, runtime.launcher, options, host)
  const starting = { ...runtime, launcher: withVariables(runtime.launcher, project.env), project }
  const sharing = servers.holdsOne ? "one" : sharingOf(agent.traits)
  try {
    return await openIn(sharing, starting, options, sink, host)
  } catch (error) {
    if (!(error instanceof OneSessionOnly)) throw error
    const alone = await openIn("one", starting, options, sink, host)
    servers.holdsOne = true
    host.log("info", "an agent holds one session in a process: each gets its own from now on", { why: error.message })
    return alone
  }
}

async function openIn(
  sharing: Sharing,
  { agent, servers, launcher, learned, learn, project }: Runtime & { project: Project },
  options: OpenOptions,
  sink: Sink,
  host: Host,
): Promise<Native> {
  const session = new AcpSession(agent, options, sink, host, learn)
  const member = new SessionMember(host)
  const { owner, directory, signal } = options
  // One that was tried with several folders stands in none of them.
  const shared = { directory: sharing === "many" ? host.home : directory, common: commonOf(sharing, options) }
  const lease =
    sharing === "one"
      ? await servers.startDedicated(launcher, directory, owner, host, session, member.lost)
      : await servers.lease(launcher, shared, host, member, signal)
  try {
    host.awaits?.(`its answer to ${openingMethod(lease.abilities, options.from)}`)
    await unlessAborted(openSession(lease, session, options, host.environment(launcher.env)), signal)
  } catch (error) {
    // It goes on with what it has: tried again it is in another, where the first try is in nobody's way.
    if (isTimeout(signal.reason) && options.from.kind !== "new") lease.retire()
    await abandon(lease, session)
    const env = loginVariables(agent)
    throw (
      forgotten(error, agent.name) ??
      typed(error, agent.id, agent.name, loginHint(lease.abilities.authMethods, launcher.command, env))
    )
  }
  joined(member, session, lease, host)
  learned.opened(lease.abilities, session.chooser.options)
  if (project.leftOut !== undefined) sink.status("project_settings", project.leftOut)
  const { steer } = learned.capabilities
  return nativeOf(session, lease, { command: launcher.command, steers: steer, free: project.free })
}

/** From now on the session hears of its process. */
function joined(member: SessionMember, session: AcpSession, lease: ProcessLease, host: Host): void {
  const { turn, ref, sink } = session
  const { load, resume } = lease.abilities
  const gone = (exit: Exit) => {
    session.lost()
    sink.gone(exit)
  }
  member.opened({
    canLeave: () => !turn.underWay && ref.durable && (load || resume),
    leave() {
      lease.process.leave(session)
      gone({ code: 0, message: "the process it shared is being replaced" })
      lease.leave().catch((error: unknown) => host.log("warn", "a process was not left", { error: String(error) }))
    },
    lost: gone,
  })
  turn.onRest = () => member.leaveIfDrained()
}

/** One session that does not open is no fault of the process others use. */
async function abandon(lease: ProcessLease, session: AcpSession): Promise<void> {
  lease.process.leave(session)
  session.lost()
  const { id } = session.ref
  if (lease.shared && id !== undefined) closeNative(lease, id).catch(() => undefined) // a process that is gone has none
  await (lease.shared ? lease.leave() : lease.kill())
}
