import { existsSync, readdirSync, readFileSync } from "node:fs"
import { SandboxAgentError } from "@sandbox-agent/schema/error"

export interface Platform {
  os: "linux" | "darwin"
  arch: "x64" | "arm64"
  /** Only Linux has the choice. */
  libc?: "glibc" | "musl"
  /** An x64 processor without AVX2, for which some vendors have a build of its own. */
  baseline?: boolean
}

/** What is looked at to know a machine; given by tests, else the machine itself. */
export interface PlatformProbe {
  platform: string
  arch: string
  /** The dynamic loaders present, such as `ld-musl-aarch64.so.1`. */
  loaders: readonly string[]
  /** libc as the kernel has mapped it into this very process, when it can be read. */
  maps: string
  cpuinfo: string
}

/** The name of a platform in the table: `linux-x64`, `linux-x64-musl`, `darwin-arm64`. */
export function platformName({ os, arch, libc }: Platform): string {
  return libc === "musl" ? `${os}-${arch}-musl` : `${os}-${arch}`
}

/**
 * The keys of the table this machine can use, best first: the build for old processors where one is needed, then the
 * plain one. A `-static` key serves both kinds of libc.
 */
export function platformKeys(platform: Platform): string[] {
  const plain = platformName(platform)
  const { os, arch, libc } = platform
  const baseline = libc === "musl" ? `${os}-${arch}-baseline-musl` : `${os}-${arch}-baseline`
  return [...(platform.baseline ? [baseline] : []), plain, `${os}-${arch}-static`]
}

export function pickPlatform<T>(builds: Readonly<Record<string, T>>, platform: Platform): T | undefined {
  const key = platformKeys(platform).find((name) => builds[name] !== undefined)
  return key === undefined ? undefined : builds[key]
}

export function readPlatform(probe: PlatformProbe): Platform {
  const { platform: os, arch } = probe
  if ((os !== "linux" && os !== "darwin") || (arch !== "x64" && arch !== "arm64"))
    throw new SandboxAgentError("install_failed", `no agent has a build for ${os}-${arch}`, {
      platform: `${os}-${arch}`,
    })
  const baseline = arch === "x64" && probe.cpuinfo !== "" && !/\bavx2\b/.test(probe.cpuinfo)
  const libc = os === "linux" ? libcOf(probe) : undefined
  return { os, arch, ...(libc ? { libc } : {}), ...(baseline ? { baseline } : {}) }
}

/**
 * A machine can hold both loaders (musl-tools on Debian, gcompat on Alpine), so what this process runs on comes first;
 * a static executable has neither mapped, and then the loader of the system decides, glibc before musl unless the
 * system is one of those built on musl.
 */
export function libcOf({ maps, loaders }: Pick<PlatformProbe, "maps" | "loaders">): "glibc" | "musl" {
  if (/\/ld-musl-|\/libc\.musl-/.test(maps)) return "musl"
  if (/\/ld-linux|\/libc\.so\.6|\/libc-2\.\d+\.so/.test(maps)) return "glibc"
  const musl = loaders.some((name) => name.startsWith("ld-musl-"))
  const glibc = loaders.some((name) => name.startsWith("ld-linux"))
  if (musl && glibc) return loaders.includes("alpine-release") ? "musl" : "glibc"
  return musl ? "musl" : "glibc"
}

let detected: Platform | undefined

export function detectPlatform(): Platform {
  detected ??= readPlatform({
    platform: process.platform,
    arch: process.arch,
    maps: read("/proc/self/maps"),
    loaders: process.platform === "linux" ? loadersOfSystem() : [],
    cpuinfo: process.platform === "linux" ? read("/proc/cpuinfo") : "",
  })
  return detected
}

function loadersOfSystem(): string[] {
  const found = ["/lib", "/lib64"].flatMap((folder) => {
    try {
      return readdirSync(folder).filter((name) => name.startsWith("ld-"))
    } catch {
      return []
    }
  })
  return existsSync("/etc/alpine-release") ? [...found, "alpine-release"] : found
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1")
  } catch {
    return ""
  }
}
