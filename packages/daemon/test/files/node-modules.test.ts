import { cpSync, mkdirSync, readdirSync, statSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { full } from "@sandbox-agent/test-agents/extent"
import { beforeAll, expect, onTestFinished, test } from "vitest"
import { root } from "../harness/daemon.ts"
import { filesDaemon, queryOf, workspace } from "./files-api.ts"
import { treeOf } from "./tree-of.ts"

const shared = filesDaemon()

/** The folder as npm made it: all of it, or some packages with the links to their programs. A copy: caches in the other change. */
let modules: string
let tree: string[]
beforeAll(() => {
  modules = join(workspace(), "node_modules")
  mkdirSync(modules)
  for (const name of full ? readdirSync(join(root, "node_modules")) : [".bin", "vitest", "@vitest", "zod"])
    cpSync(join(root, "node_modules", name), join(modules, name), {
      recursive: true,
      verbatimSymlinks: true,
      preserveTimestamps: true,
    })
  tree = treeOf(modules)
  expect(tree.length).toBeGreaterThan(500)
  expect(tree.some((line) => line.includes(" -> "))).toBe(true)
}, 120_000)

const url = (name: string, query: object) => `${shared.daemon.url}/v1/fs/${name}?${queryOf({ ...query })}`

/** Gone with its test: all of them together are gigabytes. */
function spare(): string {
  const folder = workspace()
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function archive(format: string): Promise<string> {
  const file = join(spare(), "archive")
  const response = await fetch(url("archive", { path: modules, format }), { headers: shared.daemon.api.headers })
  expect(response.status).toBe(200)
  await Bun.write(file, response)
  return file
}

function run(words: string[], cwd: string): void {
  const { exitCode, stderr } = Bun.spawnSync(words, { cwd })
  if (exitCode !== 0) throw new Error(`${words.join(" ")}: ${stderr}`)
}

/** A tool that the machine may lack; said aloud, so that nobody takes it for tried. */
function has(tool: string): boolean {
  if (Bun.which(tool) !== null) return true
  console.warn(`SKIPPED: there is no ${tool} on this machine, so node_modules was not exchanged with it`)
  return false
}

const programs = [
  ["tar", "tar", [], "tar"],
  ["tar", "tar.gz", ["-z"], "tar"],
  ["tar", "tar.zst", ["--zstd"], "zstd"],
  ["bsdtar", "tar", [], "bsdtar"],
  ["bsdtar", "tar.gz", ["-z"], "bsdtar"],
  ["bsdtar", "tar.zst", ["--zstd"], "bsdtar"],
] as const

/** Every format, and both programs; before a release each format with each program. */
const some = programs.filter(([program, format]) => full || (program === "bsdtar") === (format === "tar.zst"))
for (const [program, format, how, tool] of some)
  test.skipIf(!has(tool))(
    `a node_modules goes out to ${program} and comes back from it as ${format}, byte for byte, with modes and links`,
    async () => {
      const theirs = spare()
      run([program, "-xp", ...(program === "tar" ? how : []), "-f", await archive(format)], theirs)
      expect(treeOf(theirs)).toEqual(tree)
      const file = join(spare(), "back")
      run([program, "-c", ...how, "-f", file, "."], theirs)
      const ours = spare()
      const response = await fetch(url("upload-batch", { path: ours }), {
        method: "POST",
        headers: { ...shared.daemon.api.headers, "content-type": "application/x-tar" },
        body: Bun.file(file),
      })
      expect(await response.json()).toMatchObject({ skipped: [], skippedCount: 0 })
      expect(statSync(file).size).toBeGreaterThan(0)
      expect(treeOf(ours)).toEqual(tree)
    },
    full ? 600_000 : 60_000,
  )
