import { accessSync, constants, existsSync, statSync } from "node:fs"
import { createRequire } from "node:module"
import { delimiter, dirname, join } from "node:path"
import { SandboxAgentError } from "../errors.ts"

const name = process.platform === "win32" ? "sandbox-agent.exe" : "sandbox-agent"

/** The executable: the one named, of `SANDBOX_AGENT_BIN`, of the package of this platform, of `PATH`. */
export function findExecutable(named: string | undefined): string {
  const { SANDBOX_AGENT_BIN: fromEnvironment, PATH = "" } = process.env
  for (const [what, path] of [
    ["binaryPath", named],
    ["SANDBOX_AGENT_BIN", fromEnvironment],
  ] as const) {
    if (path === undefined || path === "") continue
    if (isExecutable(path)) return path
    throw new SandboxAgentError("spawn", `${what}: ${path} is no program`)
  }
  const packages = platformPackages()
  const inPackages = packages.flatMap(packagedExecutable)
  const onPath = PATH.split(delimiter).map((folder) => join(folder, name))
  const found = [...inPackages, ...onPath].find(isExecutable)
  if (found !== undefined) return found
  throw new SandboxAgentError(
    "spawn",
    `No sandbox-agent executable: SANDBOX_AGENT_BIN is not set, ${packages.join(" and ")} not installed, and none on PATH`,
  )
}

/** Optional packages of this one: npm installs those that fit. A machine with musl may have both. */
export function platformPackages(): string[] {
  const base = `@sandbox-agent/cli-${process.platform}-${process.arch}`
  if (process.platform !== "linux") return [base]
  const isMusl = existsSync(`/lib/ld-musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`)
  return isMusl ? [`${base}-musl`, base] : [base]
}

/** The one in a package of a platform, where that is installed. */
export function packagedExecutable(pack: string): string[] {
  try {
    return [join(dirname(createRequire(import.meta.url).resolve(`${pack}/package.json`)), "bin", name)]
  } catch (error) {
    if ((error as { code?: string }).code?.includes("MODULE_NOT_FOUND")) return []
    throw error
  }
}

export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch (error) {
    if (["ENOENT", "ENOTDIR", "EACCES", "ELOOP", "EPERM"].includes((error as { code?: string }).code ?? ""))
      return false
    throw error
  }
}
