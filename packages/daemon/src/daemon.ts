import { join } from "node:path"
import type { AgentAccount } from "./agent-user/account.ts"
import { Agents } from "./core/agents.ts"
import { attachmentRoot, storeFolder, strayFolders } from "./core/attachment-folders.ts"
import { BusyGc } from "./core/busy-gc.ts"
import type { AgentProcess } from "./core/client.ts"
import type { DirectoryConfig } from "./core/config/directory-config.ts"
import type { Logger } from "./core/context.ts"
import { Core, daemonIdOf } from "./core/core.ts"
import type { Driver } from "./core/driver.ts"
import { collectWhenIdle } from "./core/idle-gc.ts"
import { addressOf, listen } from "./daemon/listen.ts"
import type { DaemonOptions } from "./daemon/options.ts"
import { assertKnown, RegistryAgents } from "./daemon/registry-agents.ts"
import { stop } from "./daemon/stop.ts"
import { createDrivers } from "./drivers/drivers.ts"
import { acpFace } from "./faces/acp/face.ts"
import { Clients } from "./faces/http/clients.ts"
import { SignInTickets } from "./faces/http/sign-in-tickets.ts"
import { limitStreams } from "./faces/http/sse.ts"
import { StalledReaders } from "./faces/http/stalled-readers.ts"
import type { Services } from "./faces/services.ts"
import { Confinement } from "./files/confinement.ts"
import { FilesOnDemand } from "./host/files/on-demand.ts"
import type { Processes } from "./host/processes/processes.ts"
import { LazyInstaller, programsOf } from "./install/programs.ts"
import { OpenFiles, openFilesLimit } from "./linux/open-files.ts"
import { ProgramPages } from "./linux/program-pages.ts"
import { followRegistry } from "./registry/follow.ts"
import { KnownAgents } from "./registry/known-agents.ts"
import { nativeVariables } from "./registry/variables.ts"
import { Connections } from "./sockets/connections.ts"
import { Listeners } from "./sockets/listeners.ts"
import { AcpRows } from "./store/acp-rows.ts"
import { openError } from "./store/open-error.ts"
import { repairText } from "./store/repair.ts"
import { Rows } from "./store/rows.ts"
import { startupCheck } from "./store/startup-check.ts"
import { Store } from "./store/store.ts"
import type { Variables } from "./supervisor/environment.ts"
import { reapLastRun } from "./supervisor/reap.ts"
import { createSupervisor } from "./supervisor/supervisor.ts"
import { sweepDaemon } from "./supervisor/sweep.ts"

export interface Daemon {
  readonly url: string
  /** Signs one page in, once. */
  issueTicket(): string
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
    store.withRepair(() => startupCheck(store.db))
    const rows = new Rows(store.db)
    const daemonId = daemonIdOf(rows)
    await reap(store, rows, daemonId, log)
    const account = await accountOf(options)
    const place = account?.directory ?? options.store.directory
    const daemonEnvironment = { ...process.env }
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
      env: daemonEnvironment,
      self: options.self,
      paths: options.agents.paths,
      ...(options.agents.sources.length > 0 ? { sources: options.agents.sources } : {}),
      supervisor,
      log,
    })
    const programs = (agent: string) => programsOf(installer, agent)
    const builtin = await createDrivers({ self: options.self, version, programs })
    const drivers = new KnownAgents<Driver>(builtin.map((driver) => [driver.agent, driver]))
    const { directory } = options.store
    const registry = new RegistryAgents(drivers, installer, directory, variables)
    const look = followRegistry(directory, options.agents.file, log, (entries) => registry.setEntries(entries))
    assertKnown(options.defaultAgent, drivers)
    for (const agent of Object.keys(options.agents.paths))
      if (drivers.get(agent)?.programs.ensure === undefined) {
        const which = drivers.has(agent) ? "is part of the daemon" : "is not known"
        log("warn", `--agent-path names a program of an agent that ${which}`, { agent })
      }
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
    const core = store.withRepair(() => {
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
      loaded ??= import("./host/processes/open.ts")
        .then(({ openProcesses }) => openProcesses(core, supervisor, ports))
        .catch((error: unknown) => {
          // What is in the way, such as too many open files, may be gone when they are asked for again.
          loaded = undefined
          throw error
        })
      return loaded
    }
    const hostFiles = new FilesOnDemand({
      roots: context.files.roots,
      dataDirectory: directory,
      attachments: context.attachments,
      directory: context.defaultDirectory,
      owner: account,
      drafts: storeFolder(directory, "drafts", store.kind),
      abandoned: strayFolders(join(directory, "drafts"), () => true),
    })
    const tickets = new SignInTickets()
    let config: Promise<DirectoryConfig> | undefined
    const services: Services = {
      sessions,
      agents: new Agents(sessions),
      reader: context.reader,
      global: context.global,
      stalled,
      clients,
      signIn: { tickets, token: options.token },
      intervals: context.intervals,
      defaultAgent: options.defaultAgent,
      log,
      config: () => {
        config ??= import("./core/config/directory-config.ts").then((room) => new room.DirectoryConfig(context))
        return config
      },
      processes,
      files: () => hostFiles.get(),
      supervisor,
      self: options.self,
      version,
      startedAt,
      children,
      figures: () => ({ stats: store.stats, faults: context.faults }),
    }
    const acpRows = new AcpRows(store.db, () => store.flush())
    const acp = store.withRepair(() => acpFace(services, store, acpRows, options.defaultAgent, startPos))
    const forget = () => {
      if (!store.settle()) return
      for (const { log } of core.sessions.loaded) log.dropTail()
      acp.forget()
      core.context.reader.forgetShared()
      store.shrink()
    }
    const pages = new ProgramPages(log)
    const watchIdle = collectWhenIdle(forget, () => pages.drop())
    const files = new OpenFiles(() => server.port ?? 0, log)
    const worked = () => {
      core.worked()
      watchIdle()
    }
    const onRequest = () => {
      worked()
      files.requested()
    }
    await hostFiles.clear(log)
    const server = listen(options, services, acp, onRequest, (thrown) => store.suspect(thrown))
    files.start(options.intervals.openFilesMs)
    limitStreams(openFilesLimit())
    stalled.server = server
    clients.server = server
    const collector = new BusyGc()
    core.context.reader.onRead = (bytes) => collector.read(bytes)
    store.onWritten = (bytes) => {
      collector.wrote(bytes)
      worked()
    }
    core.start()
    watchIdle()
    return {
      url: addressOf(options.host, server.port ?? options.port),
      issueTicket: () => tickets.issue().ticket,
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
  const { openAccount } = await import("./agent-user/account.ts")
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
