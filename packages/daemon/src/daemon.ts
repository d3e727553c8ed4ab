import { randomBytes } from "node:crypto"
import { join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Intervals } from "@sandbox-agent/schema/intervals"
import type { RegistryEntry } from "@sandbox-agent/schema/registry"
import type { Server } from "bun"
import type { AgentAccount } from "./agents/agent-account.ts"
import { Connections } from "./agents/connections.ts"
import type { Variables } from "./agents/environment.ts"
import { Listeners } from "./agents/listeners.ts"
import { LazyInstaller, programsOf, registryPrograms } from "./agents/programs.ts"
import { reapLastRun } from "./agents/reap.ts"
import { registryEntries } from "./agents/registry/agent-registry.ts"
import { followRegistry } from "./agents/registry/follow.ts"
import { KnownAgents } from "./agents/registry/known-agents.ts"
import { launchWords } from "./agents/registry/launch-words.ts"
import { createSupervisor } from "./agents/supervisor.ts"
import { sweepDaemon } from "./agents/sweep.ts"
import { entryVariables, nativeVariables } from "./agents/variables.ts"
import { attachmentRoot, ownFolder, removeFolders } from "./core/attachment-folders.ts"
import type { AgentProcess } from "./core/client.ts"
import { Collector } from "./core/collect.ts"
import type { Logger } from "./core/context.ts"
import { Core, daemonIdOf } from "./core/core.ts"
import type { Driver } from "./core/driver.ts"
import { endInOrder } from "./core/end-in-order.ts"
import { giveBackAtRest } from "./core/give-back.ts"
import { createDrivers, createRegistryDriver } from "./drivers/drivers.ts"
import { type AcpFace, acpFace } from "./faces/acp/face.ts"
import { bodies } from "./faces/http/body.ts"
import { Clients } from "./faces/http/clients.ts"
import { type CorsOptions, Guard } from "./faces/http/guard.ts"
import { Router } from "./faces/http/router.ts"
import { type SocketEnd, socketHandler, upgradeOn } from "./faces/http/socket.ts"
import { limitStreams } from "./faces/http/sse.ts"
import { StalledReaders } from "./faces/http/stalled-readers.ts"
import { opencodeFace } from "./faces/opencode/opencode.ts"
import { homePage } from "./faces/pages/home.ts"
import type { Services } from "./faces/services.ts"
import { agentHandlers } from "./faces/universal/agents.ts"
import { configHandlers } from "./faces/universal/config.ts"
import { filesOnDemand } from "./faces/universal/files.ts"
import { messageHandlers } from "./faces/universal/messages.ts"
import { processHandlers } from "./faces/universal/processes.ts"
import { sessionHandlers } from "./faces/universal/sessions.ts"
import { systemHandlers } from "./faces/universal/system.ts"
import { terminalMounts } from "./faces/universal/terminal-mounts.ts"
import { Confinement } from "./files/confinement.ts"
import { FilesOnDemand } from "./host/files/on-demand.ts"
import type { Processes } from "./host/processes/processes.ts"
import { OpenFiles, openFilesLimit } from "./linux/open-files.ts"
import type { StoreOptions } from "./store/database.ts"
import { firstLook } from "./store/first-look.ts"
import { openError } from "./store/open-error.ts"
import { repairText } from "./store/repair.ts"
import type { RetentionOptions } from "./store/retention.ts"
import { Rows } from "./store/rows.ts"
import { Store } from "./store/store.ts"

export interface DaemonOptions {
  store: StoreOptions
  host: string
  port: number
  token?: string
  /** The reference needs the token, like everything else. */
  closedDocs?: boolean
  /** The token may stand in the address of a terminal, for the public client, also off loopback. */
  allowUrlToken?: boolean
  allowHosts: readonly string[]
  cors: CorsOptions
  /** The words that start this program again: for agents that are part of it, and as runtime and package manager. */
  self: readonly string[]
  agents: {
    /** Programs named in the configuration, by agent. */
    paths: Readonly<Record<string, string>>
    /** Where to install from, in this order; empty: the installer's own. */
    sources: readonly ("npm" | "vendor")[]
    /** More ACP agents, as a file of the registry's format. */
    file?: string
  }
  /** Folders that files named by clients and agents must be in; anywhere without any. */
  fsRoots?: readonly string[]
  /** Whom agents run as, and where what they need is kept: another user than ours. */
  agentUser?: { name: string; directory: string }
  /** For ACP clients that name no agent. */
  defaultAgent?: string
  retention: RetentionOptions
  idleStopMs: number
  stalledReaderSeconds: number
  intervals: Intervals
  version: string
  log: Logger
}

export interface Daemon {
  readonly url: string
  /** What is known of a process that is one of an agent's or stems from one. */
  agentProcess(pid: number): AgentProcess | undefined
  /** Writes a small file into the data directory, also on a full disk. */
  writeBeside(write: () => void): void
  /** Ends running turns and every process, keeps every session. */
  stop(): Promise<void>
}

/** Puts the rooms together. The only place that knows all of them. */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const startedAt = performance.now()
  const { log, version } = options
  const store = new Store(options.store)
  try {
    for (const warning of store.warnings) log("warn", warning)
    store.onRepaired = (repaired) => log("error", repairText(repaired))
    store.onRepairFailed = (error) =>
      log("error", "the store is damaged and could not be repaired", { error: String(error) })
    store.mending(() => firstLook(store.db))
    const rows = new Rows(store.db)
    const daemonId = daemonIdOf(rows)
    await reap(store, rows, daemonId, log)
    const account = await accountOf(options)
    const place = account?.directory ?? options.store.directory
    const ownEnvironment = { ...process.env }
    if (account !== undefined) liveAs(account)
    const variables = new Map<string, Variables>()
    const supervisor = createSupervisor({
      daemonId,
      log,
      adopts: true,
      as: account?.launcher,
      variables: (agent) => variables.get(agent) ?? nativeVariables(agent),
      record: {
        started: (pid, startTime, owner, label) => store.write(() => rows.processStarted(pid, startTime, owner, label)),
        ended: (pid) => store.write(() => rows.processEnded(pid)),
      },
    })
    const installer = new LazyInstaller({
      directory: join(place, "bin"),
      env: ownEnvironment,
      self: options.self,
      paths: options.agents.paths,
      ...(options.agents.sources.length > 0 ? { sources: options.agents.sources } : {}),
      supervisor,
      log,
    })
    const programs = (agent: string) => programsOf(installer, agent)
    const own = createDrivers({ self: options.self, version, programs })
    const drivers = new KnownAgents<Driver>(own.map((driver) => [driver.agent, driver]))
    const { directory } = options.store
    const registry = new RegistryAgents(drivers, installer, directory, variables)
    const look = followRegistry(directory, options.agents.file, log, (entries) => registry.know(entries))
    registry.know(registryEntries(directory, options.agents.file))
    assertKnown(options.defaultAgent, drivers)
    for (const agent of Object.keys(options.agents.paths))
      if (!drivers.has(agent)) log("warn", "--agent-path names a program of an agent that is not known", { agent })
    drivers.look = look
    const coreOptions = {
      store,
      rows,
      supervisor,
      log,
      drivers,
      directory: options.store.directory,
      attachments: attachmentRoot(place, options.store.kind),
      defaultDirectory: process.cwd(),
      agentUser: account,
      files: await Confinement.of(options.fsRoots ?? []),
      idleStopMs: options.idleStopMs,
      intervals: options.intervals,
      retention: options.retention,
    }
    const core = store.mending(() => {
      const started = new Core(coreOptions)
      started.recover()
      return started
    })
    store.onRepaired = (repaired) => {
      log("error", repairText(repaired))
      core.sessions.repaired()
    }
    const startPos = store.nextPos
    const children = () => supervisor.list().map(({ rss, ...child }) => ({ ...child, rssBytes: rss }))
    const stalled = new StalledReaders(options.stalledReaderSeconds, log, options.intervals.heartbeatMs)
    const { context, sessions } = core
    const connections = new Connections(supervisor, () => server.port ?? 0, account)
    const clients = new Clients((remote) => connections.agentBehind(remote))
    let loaded: Promise<Processes> | undefined
    const processes = () => {
      const ports = new Listeners(supervisor, account)
      loaded ??= import("./host/processes/open.ts").then(({ openProcesses }) => openProcesses(core, supervisor, ports))
      return loaded
    }
    const hostFiles = new FilesOnDemand({
      roots: context.files.roots,
      dataDirectory: directory,
      attachments: context.attachments,
      directory: context.defaultDirectory,
      owner: account,
    })
    const services: Services = {
      context,
      sessions,
      stalled,
      clients,
      processes,
      files: () => hostFiles.get(),
      self: options.self,
      version,
      startedAt,
      children,
    }
    const acp = store.mending(() => acpFace(services, options.defaultAgent, startPos))
    const giveBack = giveBackAtRest(() => {
      for (const { log } of core.sessions.loaded) log.dropTail()
      acp.forget()
      core.context.reader.forgetShared()
      store.shrink()
    })
    const files = new OpenFiles(() => server.port ?? 0, log)
    const worked = () => {
      core.worked()
      giveBack()
    }
    const onRequest = () => {
      worked()
      files.requested()
    }
    await hostFiles.clear(log)
    const server = listen(options, services, acp, onRequest)
    files.start(options.intervals.openFilesMs)
    limitStreams(openFilesLimit())
    stalled.server = server
    clients.server = server
    const collector = new Collector()
    core.context.reader.onRead = (bytes) => collector.read(bytes)
    store.onWritten = (bytes) => {
      collector.wrote(bytes)
      worked()
    }
    core.start()
    giveBack()
    return {
      url: addressOf(options.host, server.port ?? options.port),
      agentProcess: (pid) => supervisor.agentProcess(pid),
      writeBeside: (write) => store.writeBeside(write),
      stop: () => {
        files.stop()
        void loaded?.then((processes) => processes.stop())
        return stop(core, acp, installer, supervisor, server, store, log, options.intervals.shutdownMs)
      },
    }
  } catch (error) {
    store.close()
    throw openError(error, options.store.directory)
  }
}

async function accountOf({ agentUser, store, log }: DaemonOptions): Promise<AgentAccount | undefined> {
  if (agentUser === undefined) return undefined
  const { openAccount } = await import("./agents/agent-account.ts")
  const account = await openAccount({ ...agentUser, dataDirectory: store.directory })
  if (account.launcher.lacksGroups)
    log("warn", "agents do not get the further groups of their user: there is no setpriv that gives them", {
      user: account.name,
    })
  return account
}

/** From here on homes, logins and settings of agents are looked for where that user has them. */
function liveAs({ environment }: AgentAccount): void {
  for (const name of Object.keys(process.env)) if (/^XDG_|^TMPDIR$/.test(name)) delete process.env[name]
  Object.assign(process.env, environment)
}

/** A name that nobody has would be found out by the first client that names none. */
function assertKnown(agent: string | undefined, drivers: ReadonlyMap<string, Driver>): void {
  if (agent === undefined || drivers.has(agent)) return
  const known = [...drivers.keys()].join(", ")
  throw new SandboxAgentError("unsupported_agent", `--default-agent: there is no agent ${agent}; there are ${known}`, {
    agent,
    hint: "see `sandbox-agent help server`",
  })
}

/** Agents of the registry among those we have drivers for; one that is added while we run is there at once. */
class RegistryAgents {
  /** What was said of each, as text: a driver holds processes and is made anew only when that changed. */
  readonly #said = new Map<string, string>()

  constructor(
    private readonly drivers: Map<string, Driver>,
    private readonly installer: LazyInstaller,
    private readonly directory: string,
    /** What each may see of our environment. */
    private readonly variables: Map<string, Variables>,
  ) {}

  know(entries: readonly RegistryEntry[]): void {
    this.installer.know(entries)
    for (const entry of entries) {
      const said = JSON.stringify(entry)
      if (this.#said.get(entry.id) === said) continue
      this.#said.set(entry.id, said)
      this.variables.set(entry.id, entryVariables(entry))
      const programs = registryPrograms(this.installer, entry)
      const memory = join(this.directory, "agents", entry.id, "learned.json")
      this.drivers.set(entry.id, createRegistryDriver(entry, launchWords(entry), programs, memory))
    }
    for (const id of [...this.#said.keys()].filter((known) => !entries.some((entry) => entry.id === known))) {
      this.#said.delete(id)
      this.drivers.delete(id)
      this.variables.delete(id)
    }
  }
}

/** Normally the watcher of the last run has done this already. */
async function reap(store: Store, rows: Rows, daemonId: string, log: Logger): Promise<void> {
  const left = rows.processes()
  if (left.length === 0) return
  const killed = reapLastRun(left)
  await sweepDaemon(daemonId, log)
  store.write(() => {
    for (const { pid } of left) rows.processEnded(pid)
  })
  if (killed.length > 0) log("warn", "processes of the last run were still alive and were killed", { pids: killed })
}

function listen(options: DaemonOptions, services: Services, acp: AcpFace, onRequest: () => void): Server<SocketEnd> {
  const { host, port, token, allowHosts, cors, log } = options
  // Of this run and not of the data directory: a request id must not come again after a restart.
  const run = randomBytes(3).toString("hex")
  bodies.deadlineMs = options.intervals.requestBodyMs
  const guard = new Guard({ token, host, allowHosts, cors })
  const terminals = terminalMounts(services, guard, { allowUrlToken: options.allowUrlToken ?? false })
  const router = new Router(guard, log, run, [homePage, opencodeFace, ...acp.mounts, ...terminals], services.stalled)
  router.onRequest = onRequest
  router.onFault = (thrown) => services.context.store.suspect(thrown)
  if (options.closedDocs) router.closed = ["getDocs", "getOpenApi"]
  const handlers = {
    ...systemHandlers(services),
    ...agentHandlers(services),
    ...sessionHandlers(services),
    ...messageHandlers(services),
    ...processHandlers(services),
    ...filesOnDemand(services),
    ...configHandlers(services),
    ...acp.handlers,
  }
  try {
    return Bun.serve({
      hostname: host,
      port,
      // Bun's own error page shows source code to whoever asks.
      development: false,
      // For connections on which nobody waits: requests are held until they have their answer, and of event streams
      // `StalledReaders` closes those whose client takes nothing.
      idleTimeout: services.stalled.idleSeconds,
      // Sizes are checked where the body is read, so that the answer is a problem and not a cut connection.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      routes: router.routes(handlers),
      fetch: (request, server) => router.fallback(request, upgradeOn(server)),
      websocket: socketHandler,
    })
  } catch (error) {
    const inUse = /EADDRINUSE|in use/i.test(String(error))
    const why = inUse ? `port ${port} is in use; choose another with --port, or 0 for any` : String(error)
    throw new SandboxAgentError("unavailable", `cannot listen on ${host}:${port}: ${why}`)
  }
}

const addressOf = (host: string, port: number): string =>
  `http://${host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "[::1]" : host.includes(":") ? `[${host}]` : host}:${port}`

async function stop(
  core: Core,
  acp: AcpFace,
  installer: LazyInstaller,
  supervisor: { stopAll(): Promise<void> },
  server: Server<SocketEnd>,
  store: Store,
  log: Logger,
  withinMs: number,
): Promise<void> {
  // The core before the server: its streams end, so that the server can stop politely.
  const stages = [
    [{ what: "installs", end: () => installer.close() }],
    [
      { what: "sessions", end: () => core.stop() },
      { what: "processes", end: () => supervisor.stopAll() },
    ],
    [{ what: "ACP connections", end: () => acp.stop() }],
    [{ what: "server", end: () => server.stop(true) }],
  ]
  const late = Bun.sleep(withinMs).then(() => log("warn", "shutdown took too long and was cut short"))
  await Promise.race([endInOrder(stages, log), late])
  store.close()
  // In memory the sessions are gone with the daemon, and so are their files.
  const { attachments, directory, skillSources } = core.context
  if (store.kind === "memory")
    await removeFolders([attachments, ownFolder(directory, "processes", "memory"), skillSources])
}
