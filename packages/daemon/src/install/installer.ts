import { mkdir } from "node:fs/promises"
import { join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { wantedVersion } from "@sandbox-agent/schema/exact-version"
import { type InstallLimits, installLimits } from "@sandbox-agent/schema/install-limits"
import type { Host } from "../core/driver.ts"
import { NotSupported } from "../core/driver.ts"
import { VersionNotSupported, type VersionProbeWait } from "../core/programs.ts"
import type { Supervisor } from "../core/supervisor.ts"
import { writeAgentsLock } from "./agents-lock.ts"
import type { AttemptHost } from "./attempt.ts"
import { bases } from "./bases.ts"
import { type AgentEntry, entryOf, type SourceName } from "./entry.ts"
import { hintOfDisk, scrub } from "./failure.ts"
import { type Located, type LocateHost, locate, managedInstallation } from "./locate.ts"
import { type MadeInstall, makeInstall } from "./make.ts"
import { ManagedFolder, type ManagedInstall } from "./managed.ts"
import type { BunLauncher } from "./npm.ts"
import { detectPlatform, type Platform } from "./platform.ts"
import { holdLock, type LockWait } from "./process-lock.ts"
import { type OnProgress, ProgressFan } from "./progress.ts"
import { prune } from "./prune.ts"
import { writeLauncher } from "./shell-launcher.ts"
import { notSupported, sameVersion } from "./version.ts"
import { VersionProbe } from "./version-probe.ts"

export interface InstallerOptions {
  /** `<dataDir>/bin`. */
  directory: string
  bun: BunLauncher
  supervisor: Supervisor
  log: Host["log"]
  /** Which source first. The registry by default: its packages are whole and checked in every file. */
  sources?: readonly SourceName[]
  /** In place of the vendors' addresses. */
  mirrors?: Readonly<Record<string, string>>
  /** Programs named in the configuration, by agent. */
  paths?: Readonly<Record<string, string>>
  env?: Readonly<Record<string, string | undefined>>
  /** The package manager's, when it is to outlive an install. */
  cacheDirectory?: string
  platform?: Platform
  table: ReadonlyMap<string, AgentEntry>
  bounds?: Partial<InstallLimits>
}

export interface InstallOptions {
  /** Exact; without one the newest. */
  version?: string
  /** Downloads also what is there. */
  reinstall?: boolean
  /** Leaves the current version as it is: for one session that asked for another. */
  beside?: boolean
}

export interface Installer {
  /** Cheap enough for every request. With a version: that one, or not installed. */
  locate(agent: string, version?: string, probeWait?: VersionProbeWait): Promise<Located>
  /** What is there, else an install. Never an upgrade. */
  ensure(agent: string, options?: { version?: string }, onProgress?: OnProgress): Promise<Located>
  /** The newest or the given version; nothing is downloaded when it is there already, unless `reinstall`. */
  install(agent: string, options?: InstallOptions, onProgress?: OnProgress): Promise<Located>
  /** Ends what is under way; it does not count. */
  close(): void
}

export function createInstaller(options: InstallerOptions): Installer {
  return new AgentInstaller(options)
}

interface Running {
  done: Promise<Located>
  fan: ProgressFan
}

class AgentInstaller implements Installer {
  readonly #running = new Map<string, Running>()
  readonly #stop = new AbortController()
  readonly #bounds: InstallLimits
  readonly #locating: LocateHost
  readonly #probe: VersionProbe
  readonly #table: ReadonlyMap<string, AgentEntry>

  constructor(private readonly options: InstallerOptions) {
    this.#bounds = { ...installLimits, ...options.bounds }
    this.#table = options.table
    this.#probe = new VersionProbe(options.supervisor, this.#bounds, () => this.#platform())
    const env = options.env ?? process.env
    const { bun, paths = {} } = options
    this.#locating = { paths, path: env.PATH ?? "", bun, probe: this.#probe }
  }

  async locate(agent: string, version?: string, probeWait?: VersionProbeWait): Promise<Located> {
    const wanted = wantedVersion(agent, version)
    return locate(entryOf(this.#table, agent), this.#managed(agent), this.#locating, wanted, probeWait)
  }

  async ensure(agent: string, { version }: { version?: string } = {}, onProgress?: OnProgress): Promise<Located> {
    const found = await this.locate(agent, version, "complete")
    if (found.installed) return found
    return this.install(agent, { version, beside: version !== undefined }, onProgress)
  }

  async install(agent: string, options: InstallOptions = {}, onProgress?: OnProgress): Promise<Located> {
    const entry = entryOf(this.#table, agent)
    const version = wantedVersion(agent, options.version)
    const refused = version === undefined ? undefined : notSupported(entry, version)
    if (refused !== undefined) throw new VersionNotSupported(agent, refused, { option: "agentVersion" })
    const configured = this.options.paths?.[agent]
    if (configured !== undefined) return this.#configured(entry, configured, version, options)
    // Who asks for the same while it is under way gets the same.
    const key = JSON.stringify([agent, version, options.reinstall === true, options.beside === true])
    let running = this.#running.get(key)
    if (!running) {
      const fan = new ProgressFan(this.#bounds.progressMs)
      const done = this.#install(entry, version, options, fan.report)
        .catch((error: unknown) => Promise.reject(typed(agent, error)))
        .finally(() => this.#running.delete(key))
      running = { done, fan }
      this.#running.set(key, running)
    }
    running.fan.join(onProgress)
    return running.done
  }

  close(): void {
    this.#stop.abort(new SandboxAgentError("unavailable", "the daemon is stopping"))
  }

  async #install(
    entry: AgentEntry,
    version: string | undefined,
    options: InstallOptions,
    report: OnProgress,
  ): Promise<Located> {
    const asked = new Date().toISOString()
    const { agent } = entry
    const managed = this.#managed(agent)
    if (!options.reinstall) {
      const there = await locate(entry, managed, this.#locating, version, "complete")
      // The newest of what the user keeps on PATH is the user's business.
      if (
        there.installed &&
        there.notSupported === undefined &&
        (version !== undefined || there.source !== "managed")
      ) {
        if (there.source === "managed" && !options.beside) return this.#use(managed, entry, version)
        return there
      }
    }
    await mkdir(this.options.directory, { recursive: true })
    const waiting = () => report({ phase: "wait", bytes: 0, message: "another install of this agent is under way" })
    const lock = join(this.options.directory, ".locks", `${agent}.db`)
    const release = await holdLock(lock, { ...this.#lockWait(), onWait: waiting })
    try {
      await managed.sweep()
      const { made, notes } = await this.#make(
        entry,
        managed,
        version,
        options.reinstall === true ? asked : undefined,
        report,
      )
      if (!options.beside) await this.#activate(managed, made, report)
      return { ...managedInstallation(made, managed, this.options.bun), ...(notes.length > 0 && { notes }) }
    } finally {
      release()
    }
  }

  #make(
    entry: AgentEntry,
    managed: ManagedFolder,
    version: string | undefined,
    newerThan: string | undefined,
    report: OnProgress,
  ): Promise<MadeInstall> {
    const { directory, log, sources = ["npm", "vendor"] } = this.options
    const host = this.#attemptHost(report)
    return makeInstall({ entry, managed, version, newerThan, directory, sources, host, log })
  }

  async #activate(managed: ManagedFolder, made: ManagedInstall, report: OnProgress): Promise<void> {
    report({ phase: "activate", bytes: 0, source: made.source, message: made.version })
    const previous = await managed.current()
    if (previous?.folder !== made.folder) {
      await managed.makeCurrent(made)
      const gone = await prune(managed, previous)
      const { agent, version, source, digest } = made
      this.options.log("info", "agent installed", { agent, version, source, digest, removed: gone })
    }
    await writeLauncher(managed, made, this.options.bun)
    await writeAgentsLock(this.options.directory, this.#lockWait())
  }

  /** A version that is there already becomes the current one. */
  async #use(managed: ManagedFolder, { agent }: AgentEntry, version: string | undefined): Promise<Located> {
    const release = await holdLock(join(this.options.directory, ".locks", `${agent}.db`), this.#lockWait())
    try {
      const made = version === undefined ? await managed.current() : await managed.ofVersion(version)
      if (!made) throw new SandboxAgentError("install_failed", `${agent} ${version} was removed meanwhile`, { agent })
      await this.#activate(managed, made, () => {})
      return managedInstallation(made, managed, this.options.bun)
    } finally {
      release()
    }
  }

  async #configured(
    entry: AgentEntry,
    path: string,
    version: string | undefined,
    { reinstall }: InstallOptions,
  ): Promise<Located> {
    const { agent } = entry
    const found = await this.locate(agent, undefined, "complete")
    const fits = version === undefined || (found.version !== undefined && sameVersion(found.version, version))
    if (found.notSupported !== undefined)
      throw new VersionNotSupported(agent, found.notSupported.detail, { hint: found.notSupported.hint })
    if (found.installed && fits && !reinstall) return found
    // The same on every agent that has one version: it is the option that cannot be taken.
    if (found.installed && !fits)
      throw new NotSupported(
        `agent ${agent} has no other version than ${found.version ?? "its own"}: the configuration says that it is ${path}`,
        { agent, option: "agentVersion", hint: "Leave the version out, or take the path away from the configuration." },
      )
    throw new SandboxAgentError(
      "install_failed",
      `the configuration says that ${agent} is ${path}; take that away to let the daemon install it`,
      { agent },
    )
  }

  #managed(agent: string): ManagedFolder {
    return new ManagedFolder(this.options.directory, agent)
  }

  #platform(): Platform {
    return this.options.platform ?? detectPlatform()
  }

  #lockWait(): LockWait {
    return { timeoutMs: this.#bounds.lockMs, retryMs: this.#bounds.lockRetryMs, signal: this.#stop.signal }
  }

  #attemptHost(report: OnProgress): AttemptHost {
    const { bun, supervisor, env = process.env, cacheDirectory, mirrors } = this.options
    const [bounds, signal] = [this.#bounds, this.#stop.signal]
    return {
      npm: { bun, supervisor, env, cacheDirectory, bounds, signal },
      vendor: { bases: { ...bases, ...mirrors }, bounds, signal },
      platform: this.#platform(),
      probe: this.#probe,
      signal,
      report,
    }
  }
}

/** A disk that is full or a folder that is not ours to write in. */
function typed(agent: string, error: unknown): SandboxAgentError {
  if (SandboxAgentError.is(error)) return error
  const message = scrub(error instanceof Error ? error.message : String(error))
  const hint = hintOfDisk(message)
  return new SandboxAgentError("install_failed", `${agent} could not be installed: ${message}`, { agent, hint })
}
