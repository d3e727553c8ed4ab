import { spawnSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"

/** Where real agents are kept between runs, also of other clones. */
export const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "sandbox-agent", "test-agents")

// `bun --bun` puts a `node` of its own before the real one: npm gets the real one.
const PATH = (process.env.PATH ?? "")
  .split(":")
  .filter((folder) => !folder.includes("bun-node"))
  .join(":")

/** A program of an npm package: `name` is its folder in the cache, `file` its path among the installed packages. */
export interface Program {
  name: string
  spec: string
  /** What has to be installed with it, at versions of our choice. */
  also?: readonly string[]
  file: string
}

export const pathOf = ({ name, file }: Program): string => join(cache, name, "node_modules", file)

export const isFetched = (program: Program): boolean => existsSync(pathOf(program))

/** The program, fetched once per machine: half a download never has the final name. */
export function fetched(program: Program): string {
  const path = pathOf(program)
  if (existsSync(path)) return path
  const folder = join(cache, program.name)
  mkdirSync(cache, { recursive: true })
  const fresh = mkdtempSync(join(cache, `.${program.name}-`))
  try {
    writeFileSync(join(fresh, "package.json"), '{"private":true}')
    installedIn(fresh, ["--no-save", program.spec, ...(program.also ?? [])])
    // Never over one that is there: another test may have been faster, and uses it already.
    renameSync(fresh, folder)
  } catch (error) {
    if (!existsSync(path)) throw error
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
  return path
}

/** Installs with npm in a folder that has a manifest. */
export function installedIn(folder: string, words: readonly string[]): void {
  const all = ["install", "--no-audit", "--no-fund", "--ignore-scripts", ...words]
  const { status, stderr } = spawnSync("npm", all, { cwd: folder, env: { ...process.env, PATH } })
  if (status !== 0) throw new Error(`npm could not install ${words.join(" ")}: ${stderr}`)
}

export const isMusl =
  process.platform === "linux" && existsSync(`/lib/ld-musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`)
