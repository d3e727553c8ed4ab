import { unlessAborted } from "../../core/deadline.ts"
import type { Host, Native, OpenOptions, Sink } from "../../core/driver.ts"
import { type AcpAgent, loginVariables } from "./agent.ts"
import { loginHint, typed } from "./failure.ts"
import type { Learned } from "./learned.ts"
import { nativeOf } from "./native-session.ts"
import { closeNative, openSession } from "./open.ts"
import type { Launcher } from "./process.ts"
import type { Hold, Servers } from "./server.ts"
import { AcpSession } from "./session.ts"

export interface Place {
  agent: AcpAgent
  servers: Servers
  launcher: Launcher
  learned: Learned
}

/** Starts the agent, or joins one that runs, on a new or an old conversation; resolves when it is open. */
export async function openConnection(
  { agent, servers, launcher, learned }: Place,
  options: OpenOptions,
  sink: Sink,
  host: Host,
): Promise<Native> {
  const session = new AcpSession(agent, options, sink, host)
  let ready = false
  const lost = (exit: Parameters<Sink["gone"]>[0]) => {
    session.turn.unsent()
    session.asks.forget()
    void session.terminals.endAll()
    if (ready) sink.gone(exit)
  }
  const owner = `session:${options.sessionId}`
  const hold =
    agent.traits.sessions === "many"
      ? await servers.lease(launcher, host, { lost, room: host.room }, options.signal)
      : await servers.own(launcher, options.directory, owner, host, session, lost)
  try {
    const environment = host.environment(launcher.env)
    await unlessAborted(openSession(hold, session, options, environment), options.signal)
  } catch (error) {
    await abandon(hold, session)
    const env = loginVariables(agent)
    throw typed(error, agent.id, agent.name, loginHint(hold.abilities.authMethods, launcher.command, env))
  }
  ready = true
  learned.opened(hold.abilities, session.chooser.options)
  return nativeOf(session, hold, launcher.command, learned.capabilities.steer)
}

/** One session that does not open is no fault of the process others use. */
async function abandon(hold: Hold, session: AcpSession): Promise<void> {
  hold.process.leave(session)
  const { id } = session.ref
  if (hold.shared && id !== undefined) closeNative(hold, id).catch(() => undefined) // a process that is gone has none
  await (hold.shared ? hold.leave() : hold.kill())
}
