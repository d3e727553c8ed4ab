import { SandboxAgentError } from "@sandbox-agent/schema/error"

/** How the program of an agent is run: by itself, or as JavaScript on our own executable. */
export type Runtime = "native" | "bun"

export type SourceName = "npm" | "vendor"

/** Vendor addresses by name. GitHub has two, and an agent with a download server of its own has one by its own name. */
export type Bases = Readonly<Record<string, string>> & { readonly github: string; readonly githubApi: string }

/** One agent and where its program comes from. */
export interface AgentEntry {
  readonly agent: string
  /** Name on PATH. */
  readonly binary: string
  /** The version our drivers were proved with: taken when the newest cannot be had, as on a partial mirror. */
  readonly tested: string
  /** Versions that our driver can speak to, where others are known that it cannot. */
  readonly supported?: Supported
  /** Tried in order; the first that prints a version wins. None: it is not asked, and the version is that of its package. */
  readonly versionCommands: readonly (readonly string[])[]
  readonly versionPattern: RegExp
  /** Kept quiet while its version is asked. */
  readonly versionEnv?: Readonly<Record<string, string>>
  /** Tried in order. */
  readonly npm: readonly NpmPackage[]
  readonly vendor?: VendorSource
}

export interface Supported {
  readonly from?: string
  /** The first that no longer is. */
  readonly below?: string
}

/** A package of the registry. With `builds` there is one per platform, else it is JavaScript and runs anywhere. */
export interface NpmPackage {
  readonly runtime: Runtime
  /** By platform key: package name, what is added to the version, and the program's path in the package. */
  readonly builds?: Readonly<Record<string, { name: string; versionSuffix?: string; path: string }>>
  /** JavaScript: the package, and the name in its `bin` that is the program; without one as `npx` would choose. */
  readonly script?: { readonly name: string; readonly bin?: string }
  /** The only version of this package that is any use. */
  readonly only?: string
}

export type ArchiveKind = "raw" | "tar.gz" | "zip"

export interface VendorSource {
  /** A name in `Bases`; absent where the layouts name whole addresses. */
  readonly base?: string
  /** Of a base that is this agent's alone. */
  readonly address?: string
  /** Where the newest version is told. */
  readonly latest:
    | { readonly kind: "text"; readonly path: string }
    | { readonly kind: "github"; readonly repository: string; readonly tagPrefix: string }
    /** The only one whose addresses are known. */
    | { readonly kind: "fixed"; readonly version: string }
  /** Tried in order: a later one is for versions from before the earlier existed. */
  readonly layouts: readonly VendorLayout[]
}

/** `{version}`, `{tag}` and `{platform}` stand for themselves in `path`, `program` and `digest.path`. */
export interface VendorLayout {
  /** Our platform key → the vendor's word for it. */
  readonly platforms: Readonly<Record<string, string>>
  readonly path: string
  readonly archive: ArchiveKind
  /** Platform keys whose archive differs. */
  readonly archiveOf?: Readonly<Record<string, { archive: ArchiveKind; path: string }>>
  /** The program inside the archive, or the name a raw file gets. */
  readonly program: string
  readonly digest?: VendorDigest
}

export type VendorDigest =
  /** JSON with `platforms[platform].checksum`. */
  | { readonly kind: "manifest"; readonly path: string }
  /** The digest alone, or `<digest>  <file>` lines. */
  | { readonly kind: "sums"; readonly path: string }
  /** `assets[].digest` of the release in GitHub's API. */
  | { readonly kind: "github"; readonly repository: string }

export function entryOf(table: ReadonlyMap<string, AgentEntry>, agent: string): AgentEntry {
  const entry = table.get(agent)
  if (entry) return entry
  const known = [...table.keys()].join(", ")
  throw new SandboxAgentError("unsupported_agent", `${agent} cannot be installed; these can: ${known}`, { agent })
}
