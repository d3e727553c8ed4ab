import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { cache, fetched, installedIn, isFetched, type Program } from "./fetched.ts"

/** The version the product pins, the oldest that its driver takes, and the newest that was tried. */
export const tested = "0.87.1"
export const oldest = "0.85.1"
export const newest = "1.5.0"

const name = "@earendil-works/pi-coding-agent"

const program: Program = { name: `pi-${tested}`, spec: `${name}@${tested}`, file: `${name}/dist/bundle/cli.js` }

export const piIsHere = (): boolean => isFetched(program)

/** Its package, and where in it the program is. */
export const piPackage = (): { folder: string; script: string } => ({
  folder: join(fetched(program), "../../.."),
  script: "dist/bundle/cli.js",
})

/** As the product starts it, with `BUN_BE_BUN`. */
export const piCommand = (): string[] => [process.execPath, "--no-env-file", fetched(program)]

/** A program that can be run by itself; what runs it is Bun, as where the product installs it, or what is named. */
export const piBinary = (runtime = process.execPath): string => runnable(fetched(program), runtime)

const node: Program = {
  name: "node-24",
  spec: `node-${process.platform}-${process.arch}@24`,
  file: `node-${process.platform}-${process.arch}/bin/node`,
}

/** The words that start it on Node, as its vendor means it. */
export const piOnNode = (): string[] => [fetched(node), fetched(program)]

/**
 * The newest: its package is whole by itself, but names others of its own at versions that not every registry has. It is
 * installed without those.
 */
export function newestPiBinary(): string {
  const folder = join(cache, `pi-${newest}`)
  const file = join(folder, "package/dist/bundle/cli.js")
  if (!existsSync(file)) {
    const fresh = mkdtempSync(join(cache, `.pi-${newest}-`))
    try {
      run("npm", ["pack", "--silent", `${name}@${newest}`], fresh)
      run("sh", ["-c", "tar xzf *.tgz && rm -f *.tgz package/npm-shrinkwrap.json"], fresh)
      withoutOwn(join(fresh, "package/package.json"))
      installedIn(join(fresh, "package"), ["--omit=dev"])
      if (!existsSync(file)) renameSync(fresh, folder)
    } finally {
      rmSync(fresh, { recursive: true, force: true })
    }
  }
  return runnable(file)
}

function withoutOwn(file: string): void {
  const { devDependencies: _, dependencies, ...manifest } = JSON.parse(readFileSync(file, "utf8"))
  const others = Object.entries(dependencies as object).filter(([one]) => !one.startsWith("@earendil-works/"))
  writeFileSync(file, JSON.stringify({ ...manifest, dependencies: Object.fromEntries(others) }))
}

function run(command: string, words: string[], cwd: string): void {
  const { status, stderr } = spawnSync(command, words, { cwd })
  if (status !== 0) throw new Error(`${command} ${words.join(" ")}: ${stderr}`)
}

/** Beside the script: Node may be missing, or too old for it. */
function runnable(script: string, runtime = process.execPath): string {
  const folder = join(script, "..", `on-${basename(runtime)}`)
  mkdirSync(folder, { recursive: true })
  const path = join(folder, "pi")
  writeFileSync(`${path}.new`, `#!/bin/sh\nBUN_BE_BUN=1 exec '${runtime}' --no-env-file '${script}' "$@"\n`)
  chmodSync(`${path}.new`, 0o755)
  renameSync(`${path}.new`, path)
  return path
}
