import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"

/** The version the product pins, and the one npm picks where Node is old. */
export const newest = "2.1.325"
export const oldest = "2.1.197"

const musl = isMusl()
const platform = `${process.platform}-${process.arch}${musl ? "-musl" : ""}`
const name = `@anthropic-ai/claude-code-${platform}`

/** The real program of a version, fetched once per machine: half a download never has the final name. */
export function claudeBinary(version: string): string {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "sandbox-agent", "test-agents")
  const folder = join(cache, `claude-${version}`)
  const program = join(folder, "node_modules", name, "claude")
  if (existsSync(program)) return program
  mkdirSync(cache, { recursive: true })
  const fresh = mkdtempSync(join(cache, ".claude-"))
  try {
    writeFileSync(join(fresh, "package.json"), '{"private":true}')
    const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--no-save"]
    const { status, stderr } = spawnSync("npm", ["install", ...flags, `${name}@${version}`], { cwd: fresh })
    if (status !== 0) throw new Error(`npm could not install ${name}@${version}: ${stderr}`)
    rmSync(folder, { recursive: true, force: true })
    renameSync(fresh, folder)
  } catch (error) {
    // Another test may have been faster.
    if (!existsSync(program)) throw error
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return program
}

function isMusl(): boolean {
  return (
    process.platform === "linux" && existsSync(`/lib/ld-musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`)
  )
}
