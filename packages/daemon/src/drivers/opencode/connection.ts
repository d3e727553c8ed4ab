import { opencodeLimits } from "@sandbox-agent/schema/driver-limits"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Host, Native, NativeRef, OpenOptions } from "../../core/driver.ts"
import type { Sink } from "../../core/driver-sink.ts"
import type { Launcher } from "../shared/launcher.ts"
import { openMsOf } from "../shared/open-ms.ts"
import type { Lease, Pool, ServerHooks } from "../shared/pool.ts"
import { SessionMember } from "../shared/session-member.ts"
import { Blocks } from "./blocks.ts"
import { Conversations } from "./conversations.ts"
import { commandsOf } from "./directories.ts"
import { type Launch, launchFor } from "./launch.ts"
import { reportBrokenServers } from "./mcp-status.ts"
import { nativeOf } from "./native-session.ts"
import { PendingRequests } from "./pending-requests.ts"
import { ordinary, type Project, projectOf } from "./project.ts"
import { createReceiver, type SessionParts } from "./receive.ts"
import { reread } from "./reread.ts"
import { type Fences, fencesOf } from "./rules.ts"
import { type Listener, type Server, startServer } from "./server.ts"
import { nativeSession } from "./session.ts"
import { Titles } from "./titles.ts"
import { Tools } from "./tools.ts"
import { Turns } from "./turns.ts"

export interface Serving {
  readonly pool: Pool<Server>
  /** A new server was started for this key. */
  started(key: string): void
  /** By directory, what its sub-agents allow themselves. */
  readonly fences: Map<string, Fences>
}

type OpencodeLauncher = Launcher & { version: () => Promise<string | undefined> }

/** Opens a session on the server that its settings call for, starting that if it does not run. */
export async function openConnection(
  serving: Serving,
  launcher: OpencodeLauncher,
  options: OpenOptions,
  sink: Sink,
  host: Host,
): Promise<Native> {
  const member = new SessionMember(host)
  const env = host.environment({ ...launcher.env, ...options.env })
  const bypass = options.settings.permissionMode === "bypass"
  const wanted = { env, bypass, version: launcher.version }
  const project = await projectOf({ ...wanted, directory: options.directory }, host)
  const assertPlace = async (directory: string) => {
    const there = await projectOf({ ...wanted, directory }, host)
    // A server that reads no project reads none of this one either, and one that may read all may read it.
    if (there === ordinary || project !== ordinary) return
    throw new SandboxAgentError(
      "invalid_request",
      `OpenCode's session is of ${directory}, which has programs of its own: a session of that directory can go on with it`,
    )
  }
  const { launch, lease } = await fencedServer(serving, launcher, options, project, member, host)
  try {
    if (project.leftOut !== undefined) sink.status("project_config", project.leftOut)
    return await open(member, launch, options, { project, assertPlace }, sink, host, lease)
  } catch (error) {
    lease.release()
    throw error
  }
}

interface Served {
  project: Project
  /** Throws where a session of another directory must not be on this server. */
  assertPlace(directory: string): Promise<void>
}

interface LeasedServer {
  launch: Launch
  lease: Lease<Server>
}

/** A server on which no sub-agent of this directory allows itself anything; what there is of them only a server can tell. */
async function fencedServer(
  serving: Serving,
  launcher: Launcher,
  options: OpenOptions,
  project: Project,
  member: SessionMember,
  host: Host,
): Promise<LeasedServer> {
  const { directory } = options
  for (;;) {
    const known = serving.fences.get(directory) ?? {}
    const launch = await launchFor(launcher, options, host, known, project)
    host.awaits?.("the server that it shares with others")
    const lease = await leaseServer(serving, launch, options, member, host)
    host.awaits?.("its agents, commands and models in this directory")
    try {
      const fresh = fencesOf((await lease.server.directories.get(directory)).agents)
      const more = Object.keys(fresh).filter((name) => known[name] === undefined)
      if (more.length === 0) return { launch, lease }
      serving.fences.set(directory, { ...fresh, ...known })
    } catch (error) {
      lease.release()
      throw error
    }
    lease.release()
  }
}

function leaseServer(
  { pool, started }: Serving,
  launch: Launch,
  { signal }: OpenOptions,
  member: SessionMember,
  host: Host,
) {
  const start = async (hooks: ServerHooks) => {
    const server = await startServer(launch, hooks, host)
    started(launch.key)
    return server
  }
  return pool.lease(launch.key, member, start, { signal, startMs: openMsOf(host) })
}

async function open(
  member: SessionMember,
  launch: Launch,
  options: OpenOptions,
  { project: { free }, assertPlace }: Served,
  sink: Sink,
  host: Host,
  lease: Lease<Server>,
): Promise<Native> {
  const { server } = lease
  host.awaits?.("its session")
  const session = await nativeSession(server, options, launch.skills, assertPlace)
  const directory = await server.directories.get(session.directory)
  const tools = new Tools(sink, session.directory)
  const blocks = new Blocks(sink)
  const conversations = new Conversations(session.id)
  const turns = new Turns(sink, {
    began() {
      blocks.forget()
      tools.forget()
      conversations.forget()
    },
    early() {
      setTimeout(() => {
        if (turns.isEarly) void server.reread(listener)
      }, opencodeLimits.earlyMs).unref()
    },
    ended({ stop }) {
      blocks.settle()
      tools.settle()
      if (stop !== "error") lease.proven()
      queueMicrotask(() => member.leaveIfDrained())
    },
  })
  const asks = new PendingRequests(sink, tools, server.client, session.directory)
  const titles = new Titles(sink, session.title)
  const follow = (child: string) => server.follow(child, listener)
  const parts: SessionParts = { sink, directory, conversations, turns, blocks, tools, asks, titles, follow }
  const take = createReceiver(parts)
  const listener: Listener = {
    receive: (raw, event) => sink.line(raw, () => take(event)),
    reread: () => reread(server.client, session.directory, parts, listener.receive),
    isWaiting: () => turns.active,
  }
  server.attach(session.id, listener)
  const ref: NativeRef = { id: session.id, home: launch.home, durable: true }
  sink.session({ commands: commandsOf(directory) })
  member.opened({
    canLeave: () => !turns.active,
    leave() {
      sink.gone({ code: 0, message: "the server of OpenCode is being replaced" })
      server.detach(listener)
      lease.release()
    },
    lost: (exit) => sink.gone(exit),
  })
  // It takes as long as the slowest server.
  if (Object.keys(options.settings.mcp ?? {}).length > 0)
    reportBrokenServers(server.client, session.directory, sink).catch((error: unknown) =>
      host.log("warn", "OpenCode did not tell how its MCP servers are", { error: String(error) }),
    )
  const { skills } = launch
  return nativeOf({ ...parts, lease, session, ref, listener, skills, free, reach: host.reach }, options.settings)
}
