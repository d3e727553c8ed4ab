import { isExactVersion } from "@sandbox-agent/schema/exact-version"
import type { RegistryEntry } from "@sandbox-agent/schema/registry"
import { traitsOf } from "@sandbox-agent/schema/registry"
import type { AgentEntry, ArchiveKind, NpmPackage, VendorLayout, VendorSource } from "../install/entry.ts"
import { unnamedVersion } from "../install/version.ts"

const anyVersion = /\d+\.\d+\.\d+(?:[-+][0-9A-Za-z][0-9A-Za-z.+-]*)?/

/** Names of the registry for what we call a platform; those of an agent that runs on glibc alone. */
const platformKeys: Readonly<Record<string, string>> = {
  "darwin-aarch64": "darwin-arm64",
  "darwin-x86_64": "darwin-x64",
  "linux-aarch64": "linux-arm64",
  "linux-x86_64": "linux-x64",
}

/** Where the installer gets the program of a registry entry. */
export function installEntryOf(entry: RegistryEntry): AgentEntry {
  const { npx, uvx, command } = entry.distribution
  const { binary, versionArgs } = traitsOf(entry)
  const npm = npx === undefined ? undefined : packageOf(npx.package)
  const named = npm?.version ?? entry.version
  const vendor = vendorOf(entry)
  const binaryOf = binary ?? command?.cmd ?? (uvx && "uvx") ?? binaryName(entry) ?? entry.id
  return {
    agent: entry.id,
    binary: binaryOf,
    tested: named !== undefined && isExactVersion(named) ? named : unnamedVersion,
    versionCommands: versionArgs === undefined ? [] : [versionArgs],
    versionPattern: anyVersion,
    npm: npm === undefined ? [] : [scriptOf(npm.name, binary)],
    ...(vendor && { vendor }),
  }
}

const scriptOf = (name: string, bin: string | undefined): NpmPackage => ({
  runtime: "bun",
  script: { name, ...(bin !== undefined && { bin }) },
})

/** `@scope/name@1.2.3`. */
export function packageOf(given: string): { name: string; version?: string } {
  const [, name = given, version] = /^(@?[^@]+)(?:@(.+))?$/.exec(given) ?? []
  return { name, ...(version !== undefined && { version }) }
}

function vendorOf({ distribution: { binary }, version }: RegistryEntry): VendorSource | undefined {
  if (binary === undefined || version === undefined || !isExactVersion(version)) return undefined
  const layouts = Object.entries(binary).flatMap(([platform, build]): VendorLayout[] => {
    const key = platformKeys[platform]
    const archive = build && archiveOf(build.archive)
    if (key === undefined || archive === undefined) return []
    return [{ platforms: { [key]: platform }, path: build.archive, archive, program: build.cmd.replace(/^\.\//, "") }]
  })
  return layouts.length === 0 ? undefined : { latest: { kind: "fixed", version }, layouts }
}

/** `undefined`: a kind we do not unpack. */
function archiveOf(url: string): ArchiveKind | undefined {
  if (/\.(?:tar\.gz|tgz)$/.test(url)) return "tar.gz"
  if (url.endsWith(".zip")) return "zip"
  return /\.(?:tar|bz2|xz|zst|7z|dmg|pkg)$/.test(url) ? undefined : "raw"
}

function binaryName({ distribution: { binary } }: RegistryEntry): string | undefined {
  const [first] = Object.values(binary ?? {})
  return first?.cmd.replace(/^\.\//, "").split("/").at(-1)
}
