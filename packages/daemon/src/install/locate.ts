import { existsSync } from "node:fs"
import type { Installation } from "../core/driver.ts"
import type { VersionProbeWait } from "../core/programs.ts"
import type { AgentEntry, Runtime } from "./entry.ts"
import { isExecutable, isNodeScript, isScript, onPath } from "./find.ts"
import type { ManagedFolder, ManagedInstall } from "./managed.ts"
import type { BunLauncher } from "./npm.ts"
import { notSupported, sameVersion, unnamedVersion } from "./version.ts"
import type { Launch, VersionProbe } from "./version-probe.ts"

/** Where an agent's program is and how to start it; the flags of the agent follow `command`. */
export interface Located extends Omit<Installation, "credentials"> {
  command?: string[]
  env?: Record<string, string>
  /** What people type to start it, where its path alone does not. */
  launcher?: string
  /** Why a program that is there is not used. */
  note?: string
}

export interface LocateHost {
  /** Programs the user named in the configuration. */
  paths: Readonly<Record<string, string>>
  path: string
  bun: BunLauncher
  probe: VersionProbe
}

/**
 * Configuration, then managed, then PATH. A configured path is the user's word. A managed install is there because
 * somebody asked for it, with a version perhaps, and must not be shadowed by what happens to lie on PATH. What is on
 * PATH is used when nothing was asked for, and then nothing is downloaded.
 */
export async function locate(
  entry: AgentEntry,
  managed: ManagedFolder,
  host: LocateHost,
  version?: string,
  probeWait?: VersionProbeWait,
): Promise<Located> {
  return judged(entry, await find(entry, managed, host, version, probeWait))
}

async function find(
  entry: AgentEntry,
  managed: ManagedFolder,
  host: LocateHost,
  version?: string,
  probeWait?: VersionProbeWait,
): Promise<Located> {
  // With a version to compare the program has to tell its own.
  const wait = version === undefined ? probeWait : "complete"
  const fits = (found: Located) => version === undefined || (found.version && sameVersion(found.version, version))
  const configured = host.paths[entry.agent]
  if (configured !== undefined) {
    const found = await fromConfig(entry, configured, host, wait)
    if (!found.installed || fits(found)) return found
    return { ...found, installed: false, note: `the configured ${configured} is not ${version}` }
  }
  const installed = version === undefined ? await managed.current() : await managed.ofVersion(version)
  if (installed) return managedInstallation(installed, managed, host.bun)
  const found = await fromPath(entry, host, wait)
  return found && (fits(found) || !found.installed) ? found : { installed: false, note: found?.note }
}

/** A program that is there and not supported is reported with what its owner can do: it is not replaced unasked. */
function judged(entry: AgentEntry, found: Located): Located {
  const { installed, version, path = "", source = "path" } = found
  if (!installed) return found
  const detail = version === undefined ? undefined : notSupported(entry, version)
  // Of an entry that names no version nothing was tested.
  const tested = entry.tested === unnamedVersion ? undefined : entry.tested
  if (detail === undefined) return { ...found, tested }
  const install = `\`sandbox-agent install-agent ${entry.agent}\``
  const hints = {
    config: `The configuration names ${path}: name another program, or none to let the daemon install one.`,
    path: `${path} is on PATH: ${install} installs a supported version beside it, which then is used.`,
    managed: `${install} installs a supported version in its place.`,
    builtin: "Update sandbox-agent.",
  }
  return { ...found, tested, notSupported: { detail: `${detail} (${path})`, hint: hints[source] } }
}

export function managedInstallation(made: ManagedInstall, managed: ManagedFolder, bun: BunLauncher): Located {
  const { version, path, runtime } = made
  const { command, env } = launchOf(path, runtime, bun)
  const launcher = runtime === "bun" && existsSync(managed.launcher) ? { launcher: managed.launcher } : {}
  return { installed: true, version, path, source: "managed", command: [...command], env: { ...env }, ...launcher }
}

/** An agent starts in the user's directory, and Bun would take that folder's .env for its own. */
export function launchOf(path: string, runtime: Runtime, bun: BunLauncher): Launch {
  if (runtime === "native") return { command: [path], env: {} }
  return { command: [...bun.command, "--no-env-file", path], env: bun.env }
}

async function fromConfig(
  entry: AgentEntry,
  path: string,
  host: LocateHost,
  wait: VersionProbeWait | undefined,
): Promise<Located> {
  if (!(await isExecutable(path)))
    return { installed: false, source: "config", path, note: `the configured ${path} is no program` }
  const launch = await launchOfFound(path, host)
  if (entry.versionCommands.length === 0) return found(path, "config", launch)
  const answer = await host.probe.ask(entry, path, launch, wait)
  // The user's word counts also for a program that does not tell its version.
  return found(path, "config", launch, "version" in answer ? answer.version : undefined)
}

async function fromPath(
  entry: AgentEntry,
  host: LocateHost,
  wait: VersionProbeWait | undefined,
): Promise<Located | undefined> {
  const path = await onPath(entry.binary, host.path)
  if (path === undefined) return undefined
  const launch = await launchOfFound(path, host)
  if (entry.versionCommands.length === 0) return found(path, "path", launch)
  // A script may lack its interpreter and must show that it runs, by itself or by its package; a program proper is taken at its word.
  const shown = wait === "skip" && (await isScript(path)) ? undefined : wait
  const answer = await host.probe.ask(entry, path, launch, shown)
  if ("error" in answer) return { installed: false, note: `${path} is not used: ${answer.error}` }
  return found(path, "path", launch, "version" in answer ? answer.version : undefined)
}

const found = (path: string, source: "path" | "config", { command, env }: Launch, version?: string): Located => ({
  installed: true,
  version,
  path,
  source,
  command: [...command],
  env: { ...env },
})

async function launchOfFound(path: string, host: LocateHost): Promise<Launch> {
  if (!(await isNodeScript(path))) return launchOf(path, "native", host.bun)
  const node = await onPath("node", host.path)
  return { ...launchOf(path, node === undefined ? "bun" : "native", host.bun), script: { node } }
}
