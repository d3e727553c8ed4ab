import { constants } from "node:fs"
import { open, realpath, stat } from "node:fs/promises"
import { basename, dirname, join } from "node:path"
import { isExactVersion } from "@sandbox-agent/schema/exact-version"
import type { Platform } from "./platform.ts"

/** What `package.json` says of the package that a script is the program of. */
export interface ScriptPackage {
  version: string
  /** The versions of Node that it is for. */
  node?: string
}

interface Manifest {
  name?: unknown
  version?: unknown
  bin?: unknown
  engines?: { node?: unknown }
  optionalDependencies?: Record<string, unknown>
  os?: unknown
  cpu?: unknown
  libc?: unknown
}

/**
 * The package whose program this script is, where that is whole: nothing of one whose parts for this platform are all
 * missing, for it may only say so when it is run.
 */
export async function packageOfScript(path: string, maxBytes: number): Promise<ScriptPackage | undefined> {
  const script = await realpath(path)
  const { manifest, folder } = (await packageAround(script, maxBytes)) ?? {}
  if (manifest === undefined || folder === undefined) return undefined
  return (await isWhole(manifest, folder, script)) ? packageIn(manifest) : undefined
}

/**
 * The version of the package that is this program's build for one platform, as npm has them beside the package that
 * people install; nothing where it is not one for this machine, which the program has to show then.
 */
export async function versionOfBuild(path: string, platform: Platform, maxBytes: number): Promise<string | undefined> {
  const { manifest } = (await packageAround(await realpath(path), maxBytes)) ?? {}
  return manifest !== undefined && isBuildFor(platform, manifest) ? plainVersion(manifest) : undefined
}

async function packageAround(
  file: string,
  maxBytes: number,
): Promise<{ manifest: Manifest; folder: string } | undefined> {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (basename(folder) === "node_modules") return undefined
    const manifest = await readManifest(join(folder, "package.json"), maxBytes)
    // One without a name only says how the files beside it are to be read.
    if (manifest?.name !== undefined) return { manifest, folder }
  }
  return undefined
}

/** Not every vendor says which libc a build is for, and none says which processors: its name does, or nothing. */
function isBuildFor({ os, arch, libc, baseline }: Platform, manifest: Manifest): boolean {
  const isOnly = (named: unknown, mine: string | undefined) =>
    Array.isArray(named) && named.length === 1 && named[0] === mine
  if (!isOnly(manifest.os, os) || !isOnly(manifest.cpu, arch) || baseline) return false
  return manifest.libc === undefined
    ? /musl/.test(String(manifest.name)) === (libc === "musl")
    : isOnly(manifest.libc, libc)
}

/** Some have the platform behind the version, which the program itself does not say. */
const plainVersion = ({ version }: Manifest): string | undefined =>
  typeof version === "string" && isExactVersion(version) && !/[-+]/.test(version) ? version : undefined

function packageIn({ version, engines }: Manifest): ScriptPackage | undefined {
  if (typeof version !== "string" || !isExactVersion(version)) return undefined
  return typeof engines?.node === "string" ? { version, node: engines.node } : { version }
}

async function isWhole({ bin, optionalDependencies = {} }: Manifest, folder: string, script: string): Promise<boolean> {
  const programs = typeof bin === "string" ? [bin] : Object.values((bin ?? {}) as Record<string, unknown>)
  if (!programs.some((program) => join(folder, String(program)) === script)) return false
  const parts = Object.keys(optionalDependencies)
  if (parts.length === 0) return true
  const there = await Promise.all(parts.map((name) => isInstalledFor(folder, name)))
  return there.includes(true)
}

/** As Node looks for it: in the folders of modules of the package and of those above it. */
async function isInstalledFor(folder: string, name: string): Promise<boolean> {
  for (let above = folder; above !== dirname(above); above = dirname(above))
    if (await exists(join(above, "node_modules", name, "package.json"))) return true
  return false
}

async function readManifest(path: string, maxBytes: number): Promise<Manifest | undefined> {
  // One that is no plain file must not hold us up: whoever may write to the folder decides what it is.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined)
  if (file === undefined) return undefined
  try {
    const found = await file.stat()
    if (!found.isFile() || found.size > maxBytes) return undefined
    return (JSON.parse(await file.readFile("utf8")) ?? undefined) as Manifest | undefined
  } catch {
    // Not one that could be believed: the program is asked itself.
    return undefined
  } finally {
    await file.close()
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  )
