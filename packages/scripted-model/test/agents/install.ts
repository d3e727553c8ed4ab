import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, rename, rm, writeFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"

/** Installing downloads up to 130 MB, once per machine. */
export const INSTALL_TIMEOUT_MS = 300_000

export const platform = `${process.platform}-${process.arch}`

// `bun --bun` puts a `node` of its own before the real one: npm and the agents get the real one.
export const PATH = (process.env.PATH ?? "")
  .split(":")
  .filter((folder) => !folder.includes("bun-node"))
  .join(":")

/** The file of an npm package, installed without scripts into the cache of test agents. */
export async function installedFile(name: string, spec: string, file: string): Promise<string> {
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache")
  const folder = join(cache, "sandbox-agent", "test-agents", name)
  const path = join(folder, "node_modules", file)
  if (existsSync(path)) return path
  // Installed aside and renamed: a half install never counts, and two test runs do not meet.
  const aside = `${folder}.${process.pid}`
  await mkdir(aside, { recursive: true })
  await writeFile(join(aside, "package.json"), '{"private":true}')
  const command = ["install", "--ignore-scripts", "--no-audit", "--no-fund", spec]
  await promisify(execFile)("npm", command, { cwd: aside, env: { ...process.env, PATH } })
  await rm(folder, { recursive: true, force: true })
  await rename(aside, folder)
  return path
}
