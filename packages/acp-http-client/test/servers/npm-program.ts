import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"

/** A real program of the npm registry, fetched once per machine: half a download never has the final name. */
function npmProgram(name: string, version: string, path: string): string {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "sandbox-agent", "test-agents")
  const short = name.split("/").at(-1)
  const folder = join(cache, `${short}-${version}`)
  const program = join(folder, "node_modules", name, path)
  if (existsSync(program)) return program
  mkdirSync(cache, { recursive: true })
  const fresh = mkdtempSync(join(cache, `.${short}-`))
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

export const qwenProgram = (): string => npmProgram("@qwen-code/qwen-code", "0.24.4", "cli-entry.js")

/** The runtime of Cloudflare Workers; its platform packages say 64 for x64. */
export const workerdProgram = (): string => {
  const platform = `${process.platform}-${process.arch === "x64" ? "64" : process.arch}`
  return npmProgram(`@cloudflare/workerd-${platform}`, "1.20261104.1", "bin/workerd")
}
