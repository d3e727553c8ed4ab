import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { isExactVersion } from "@sandbox-agent/schema/exact-version"
import type { InstallLimits } from "@sandbox-agent/schema/install-limits"
import type { Supervisor } from "../core/supervisor.ts"
import type { NpmPackage, Runtime } from "./entry.ts"
import { SourceFailure } from "./failure.ts"
import { watchGrowth } from "./folder-size.ts"
import { type Platform, pickPlatform, platformName } from "./platform.ts"
import type { OnProgress } from "./progress.ts"
import { type RunResult, run, wordsOf } from "./run.ts"

/** What starts Bun: our own executable with `BUN_BE_BUN=1`, or Bun itself when we run from source. */
export interface BunLauncher {
  command: readonly string[]
  env: Readonly<Record<string, string>>
}

export interface NpmHost {
  bun: BunLauncher
  supervisor: Supervisor
  /** The user's environment: npmrc files name variables of it (`${NPM_TOKEN}`), so all of it is handed on. */
  env: Readonly<Record<string, string | undefined>>
  bounds: InstallLimits
  /** Kept between installs when given; else each has its own, gone with it. */
  cacheDirectory?: string
  signal?: AbortSignal
}

/** One package with its version decided. */
export interface NpmTarget {
  name: string
  /** As the registry has it; `version` as the program says it. */
  spec: string
  version: string
  runtime: Runtime
  /** Path of the program in the package; of JavaScript, the name in `bin`. */
  program: { path: string } | { bin: string | undefined }
}

export interface UnpackedProgram {
  /** The program, relative to the folder. */
  program: string
  runtime: Runtime
  digest?: string
  /** Where it came from, for the record. */
  origin: string
}

/** Gone with the cache when the install is done. */
export const unpackedFolder = ".unpacked"

/** The name asked of the registry, or why there is none for this machine. */
export function npmName(source: NpmPackage, platform: Platform): string {
  const name = source.script?.name ?? pickPlatform(source.builds ?? {}, platform)?.name
  if (name !== undefined) return name
  const builds = Object.keys(source.builds ?? {}).join(", ")
  throw new SourceFailure("platform", `no build for ${platformName(platform)}; there are builds for ${builds}`)
}

export function npmTarget(source: NpmPackage, platform: Platform, version: string): NpmTarget {
  const name = npmName(source, platform)
  const { runtime, script } = source
  if (script) return { name, spec: version, version, runtime, program: { bin: script.bin } }
  const build = pickPlatform(source.builds ?? {}, platform)
  const spec = `${version}${build?.versionSuffix ?? ""}`
  return { name, spec, version, runtime, program: { path: build?.path ?? "" } }
}

/** The newest version, asked of the registry that the user's configuration names. */
export async function npmLatest(name: string, directory: string, host: NpmHost): Promise<string> {
  const result = await bun(["info", name, "version"], directory, host, host.bounds.npmResolveMs)
  if (result.exit.code !== 0) throw failureOfBun(result, name, host.bounds)
  const version = result.stdout.at(-1)?.trim() ?? ""
  if (isExactVersion(version)) return version
  throw new SourceFailure("broken", `the registry tells no version of ${name}`)
}

/** Into `directory`, which becomes a project of its own. No script of any package runs. */
export async function npmInstall(
  target: NpmTarget,
  directory: string,
  host: NpmHost,
  report: OnProgress,
): Promise<UnpackedProgram> {
  const what = `${target.name}@${target.spec}`
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, "package.json"), '{ "name": "sandbox-agent-managed", "private": true }\n')
  const size = new PackageSize(target, directory, host)
  const onGrowth = (bytes: number) => {
    const { total } = size
    const known = total === undefined ? { bytes } : { bytes: Math.min(bytes, total), total }
    report({ phase: "download", ...known, source: "npm", message: what })
  }
  onGrowth(0)
  const words = ["add", "--exact", "--ignore-scripts", "--no-progress", what]
  await mkdir(join(directory, unpackedFolder), { recursive: true })
  const endWatch = watchGrowth(directory, host.bounds.progressMs, onGrowth)
  const result = await bun(words, directory, host, host.bounds.npmInstallMs).finally(endWatch).finally(size.end)
  if (result.exit.code !== 0) throw failureOfBun(result, what, host.bounds)
  return {
    program: await programOf(target, directory),
    runtime: target.runtime,
    digest: await integrityOf(target.name, directory),
    origin: what,
  }
}

/** How large a package is, asked while it is taken. Only of one that is whole: what others depend on nobody sums up. */
class PackageSize {
  total: number | undefined
  readonly #left = new AbortController()
  readonly #asked: Promise<void>

  constructor({ name, spec, program }: NpmTarget, directory: string, host: NpmHost) {
    this.#asked = "path" in program ? this.#ask(`${name}@${spec}`, directory, host) : Promise.resolve()
  }

  async #ask(what: string, directory: string, host: NpmHost): Promise<void> {
    const signal = host.signal === undefined ? this.#left.signal : AbortSignal.any([host.signal, this.#left.signal])
    const words = ["info", what, "dist.unpackedSize"]
    try {
      const { exit, stdout } = await bun(words, directory, { ...host, signal }, host.bounds.npmResolveMs)
      const bytes = Number(stdout.at(-1)?.trim() || Number.NaN)
      if (exit.code === 0 && Number.isSafeInteger(bytes) && bytes > 0) this.total = bytes
    } catch {
      // Its size is told to people and decides nothing.
    }
  }

  readonly end = async (): Promise<void> => {
    this.#left.abort()
    await this.#asked
  }
}

async function bun(words: readonly string[], directory: string, host: NpmHost, timeoutMs: number): Promise<RunResult> {
  const env: Record<string, string> = {}
  for (const [name, value] of Object.entries(host.env)) {
    // What is ours, such as the token, is no business of a package manager.
    if (value !== undefined && !name.startsWith("SANDBOX_AGENT_")) env[name] = value
  }
  const cache = host.cacheDirectory ?? join(directory, ".cache")
  const folders = {
    BUN_INSTALL_CACHE_DIR: cache,
    // Where it unpacks what still comes: in our folder its growth is seen.
    BUN_TMPDIR: join(directory, unpackedFolder),
    ...{ NO_COLOR: "1", FORCE_COLOR: "0", DO_NOT_TRACK: "1" },
  }
  return run(host.supervisor, {
    label: "package manager",
    command: [...host.bun.command, ...words],
    directory,
    env: { ...env, ...folders, ...host.bun.env },
    timeoutMs,
    lines: host.bounds.versionOutputLines,
    signal: host.signal,
    asDaemon: true,
  })
}

async function programOf({ name, program }: NpmTarget, directory: string): Promise<string> {
  const folder = join("node_modules", name)
  if ("path" in program) {
    const path = join(folder, program.path)
    if (await Bun.file(join(directory, path)).exists()) return path
    throw new SourceFailure("broken", `${name} was taken but has no ${program.path}: not for this platform?`)
  }
  const { bin } = (await readJson(join(directory, folder, "package.json"))) as { bin?: unknown }
  const entry = typeof bin === "string" ? bin : chosen((bin ?? {}) as Record<string, unknown>, name, program.bin)
  if (typeof entry !== "string") throw new SourceFailure("broken", `${name} names no program ${program.bin ?? ""}`)
  return join(folder, entry)
}

/** As `npx` chooses: the only one, else the one that has the name of its package. */
function chosen(bins: Readonly<Record<string, unknown>>, name: string, bin: string | undefined): unknown {
  const all = [...new Set(Object.values(bins))]
  return bin !== undefined ? bins[bin] : all.length === 1 ? all[0] : bins[name.replace(/^@[^/]+\//, "")]
}

async function integrityOf(name: string, directory: string): Promise<string | undefined> {
  try {
    const text = await readFile(join(directory, "bun.lock"), "utf8")
    const { packages } = Bun.JSONC.parse(text) as { packages?: Record<string, unknown[]> }
    const digest = packages?.[name]?.findLast((part) => typeof part === "string" && /^sha\d+-/.test(part))
    return digest as string | undefined
  } catch {
    return undefined
  }
}

async function readJson(path: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(path, "utf8"))
  } catch (error) {
    throw new SourceFailure("broken", `${path} cannot be read: ${String(error)}`)
  }
}

function failureOfBun(result: RunResult, what: string, bounds: InstallLimits): SourceFailure {
  if (result.timedOut) return new SourceFailure("timeout", `${what}: the package manager took too long`)
  const text = wordsOf(result)
  const lines = text.split("\n").filter((line) => /error|404|warn|does not exist/i.test(line))
  const words = (lines.length > 0 ? lines : text.split("\n"))
    .slice(0, bounds.failureLines)
    .join(" ")
    .slice(0, bounds.failureChars)
  if (/Integrity|IntegrityCheckFailed/i.test(text)) return new SourceFailure("integrity", words)
  if (/ - 404|404 Not Found|No version matching|does not exist|failed to resolve/i.test(text))
    return new SourceFailure("missing", words)
  const network = /Connection|Timeout|DNS|ENOTFOUND|Unreachable|Unable to connect|CERT|TLS|FailedToOpenSocket|ECONN/i
  return new SourceFailure(network.test(text) ? "offline" : "broken", words)
}
