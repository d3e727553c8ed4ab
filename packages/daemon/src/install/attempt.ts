import { rm, stat } from "node:fs/promises"
import { join } from "node:path"
import type { AgentEntry, SourceName } from "./entry.ts"
import { SourceFailure, scrub, type Tried } from "./failure.ts"
import { launchOf } from "./locate.ts"
import type { InstallRecord, ManagedFolder, ManagedInstall } from "./managed.ts"
import { type NpmHost, npmInstall, npmLatest, npmName, npmTarget, type UnpackedProgram, unpackedFolder } from "./npm.ts"
import type { Platform } from "./platform.ts"
import type { OnProgress } from "./progress.ts"
import { baseOf, type VendorHost, vendorLatest } from "./release.ts"
import { vendorInstall, vendorPlatform } from "./vendor.ts"
import { sameVersion } from "./version.ts"
import type { VersionProbe } from "./version-probe.ts"

export interface AttemptHost {
  npm: NpmHost
  vendor: VendorHost
  platform: Platform
  probe: VersionProbe
  signal: AbortSignal
  report: OnProgress
}

/** One way to get an agent: a package of the registry, or the vendor's download. */
export interface InstallAttempt {
  source: SourceName
  /** For messages: package or address. */
  name: string
  /** Absent where only one old version is of use: that is no answer to "the newest". */
  latest?(directory: string): Promise<string>
  take(version: string, directory: string): Promise<UnpackedProgram>
}

/** Every attempt that an entry allows, in the order of the sources. One without a build for this machine is noted in `tried`. */
export function attemptsOf(
  entry: AgentEntry,
  order: readonly SourceName[],
  host: AttemptHost,
  tried: Tried[],
): InstallAttempt[] {
  return order.flatMap((source) =>
    source === "npm" ? npmAttempts(entry, host, tried) : vendorAttempts(entry, host, tried),
  )
}

function npmAttempts(entry: AgentEntry, host: AttemptHost, tried: Tried[]): InstallAttempt[] {
  return entry.npm.flatMap((source) => {
    const name = buildOrTried(entry, "npm", tried, () => npmName(source, host.platform))
    if (name === undefined) return []
    const { only } = source
    const take: InstallAttempt["take"] = async (version, directory) => {
      if (only !== undefined && !sameVersion(only, version))
        throw new SourceFailure("missing", `${name} is of use only as ${only}`)
      return npmInstall(npmTarget(source, host.platform, version), directory, host.npm, host.report)
    }
    const latest = only === undefined ? (directory: string) => npmLatest(name, directory, host.npm) : undefined
    return [{ source: "npm", name, latest, take } satisfies InstallAttempt]
  })
}

function vendorAttempts(entry: AgentEntry, host: AttemptHost, tried: Tried[]): InstallAttempt[] {
  const { vendor } = entry
  if (!vendor || !buildOrTried(entry, "vendor", tried, () => vendorPlatform(vendor, host.platform))) return []
  const name = scrub(baseOf(vendor, host.vendor)) || "download"
  const latest = () => vendorLatest(vendor, host.vendor)
  const take: InstallAttempt["take"] = (version, directory) =>
    vendorInstall(vendor, version, host.platform, directory, host.vendor, host.report)
  return [{ source: "vendor", name, latest, take }]
}

function buildOrTried(entry: AgentEntry, source: SourceName, tried: Tried[], find: () => string): string | undefined {
  try {
    return find()
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error
    tried.push({ source, what: entry.agent, kind: error.kind, error: error.message })
    return undefined
  }
}

/** Takes one version by one way into a folder of its own, starts it once, and puts it into place. */
export async function installBy(
  way: InstallAttempt,
  version: string,
  entry: AgentEntry,
  managed: ManagedFolder,
  host: AttemptHost,
): Promise<ManagedInstall> {
  const staging = await managed.staging()
  try {
    const placed = await way.take(version, staging)
    for (const name of [".cache", unpackedFolder]) await rm(join(staging, name), { recursive: true, force: true })
    await checkAgainstRecorded(managed, way.source, version, placed)
    host.report({ phase: "check", bytes: 0, source: way.source, message: version })
    await checkRuns(entry, version, join(staging, placed.program), placed, host)
    const { size } = await stat(join(staging, placed.program))
    const record: InstallRecord = {
      agent: entry.agent,
      version,
      source: way.source,
      ...placed,
      programBytes: size,
      installedAt: new Date().toISOString(),
    }
    return await managed.place(staging, record)
  } finally {
    await rm(staging, { recursive: true, force: true })
  }
}

/** A version is one set of bytes: what changes under the same name is not taken unseen. */
async function checkAgainstRecorded(
  managed: ManagedFolder,
  source: SourceName,
  version: string,
  { origin, digest }: UnpackedProgram,
): Promise<void> {
  const known = (await managed.all()).find((one) => one.version === version && one.source === source)
  if (!known?.digest || !digest || known.origin !== origin || known.digest === digest) return
  throw new SourceFailure(
    "integrity",
    `${origin} is ${digest} now and was ${known.digest} before; remove ${join(managed.directory, known.folder)} to accept it`,
  )
}

async function checkRuns(
  entry: AgentEntry,
  version: string,
  path: string,
  { runtime }: UnpackedProgram,
  { npm, probe, signal }: AttemptHost,
): Promise<void> {
  if (entry.versionCommands.length === 0) return
  const answer = await probe.run(entry, launchOf(path, runtime, npm.bun), signal)
  if ("pending" in answer)
    throw new SourceFailure("timeout", `${entry.agent} ${version} does not tell its version in time`)
  if ("error" in answer) throw new SourceFailure("broken", `${entry.agent} ${version} does not start: ${answer.error}`)
  if (!sameVersion(answer.version, version))
    throw new SourceFailure("broken", `${version} was to come, but the program says ${answer.version}`)
}
