import { randomBytes } from "node:crypto"
import { mkdirSync, renameSync, writeFileSync } from "node:fs"
import { readdir, rm, stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import type { SkillSource } from "@sandbox-agent/schema/config"
import { configLimits } from "@sandbox-agent/schema/config-limits"
import { strayFolders } from "../attachment-folders.ts"
import type { Context } from "../context.ts"

/** Folders that are being made, and when one was last used, of each daemon in this process. */
const states = new WeakMap<Context["config"], { making: Map<string, Promise<string>>; used: Map<string, number> }>()

function stateOf({ config }: Context) {
  const known = states.get(config)
  if (known !== undefined) return known
  const made = { making: new Map<string, Promise<string>>(), used: new Map<string, number>() }
  states.set(config, made)
  return made
}

function asAgent<T>({ agentUser }: Context, work: () => T): T {
  return agentUser === undefined ? work() : agentUser.run(work)
}

const remove = ({ agentUser }: Context, folder: string): Promise<void> =>
  agentUser === undefined ? rm(folder, { recursive: true, force: true }) : agentUser.remove(folder)

/** The folder that a source is. What is no folder yet becomes one of ours, `<stamp of its entry>-<its place in there>`. */
export async function folderOf(
  context: Context,
  key: string,
  source: SkillSource,
  directory: string,
): Promise<{ folder: string; ours: boolean }> {
  const { type, subpath } = source
  const below = (folder: string) => (subpath == null ? folder : join(folder, subpath))
  if (type === "local") return { folder: below(resolve(directory, source.source)), ours: false }
  const root = await keptFolder(context, key, (folder, tree) => fill(context, source, folder, tree))
  return { folder: type === "inline" ? join(root, source.source) : below(root), ours: true }
}

async function fill(context: Context, source: SkillSource, folder: string, tree: string): Promise<void> {
  if (source.type === "inline") return asAgent(context, () => writeFiles(join(tree, source.source), source.files ?? {}))
  const { fetchTree } = await import("./git-fetch.ts")
  await fetchTree(context, source, folder, tree)
  await remove(context, join(tree, ".git"))
}

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(path, text, { mode: text.startsWith("#!") ? 0o700 : 0o600, flag: "wx" })
  }
}

/** Made whole or not at all, by one however many ask. */
async function keptFolder(
  context: Context,
  key: string,
  make: (folder: string, tree: string) => Promise<void>,
): Promise<string> {
  const { making, used } = stateOf(context)
  used.set(key, performance.now())
  const kept = join(context.skillSources, key)
  if ((await stat(kept).catch(() => undefined))?.isDirectory()) return kept
  const made = making.get(key) ?? madeFolder(context, kept, make).finally(() => making.delete(key))
  making.set(key, made)
  return made
}

async function madeFolder(
  context: Context,
  kept: string,
  make: (folder: string, tree: string) => Promise<void>,
): Promise<string> {
  const folder = `${kept}.${randomBytes(4).toString("hex")}`
  const tree = join(folder, "tree")
  asAgent(context, () => void mkdirSync(tree, { recursive: true, mode: 0o700 }))
  try {
    await make(folder, tree)
    asAgent(context, () => renameSync(tree, kept))
    return kept
  } finally {
    await remove(context, folder)
  }
}

/** Removes folders that neither an entry nor a session names, and what a daemon left that was killed. */
export async function tidySources(context: Context, now = performance.now()): Promise<void> {
  const { making, used } = stateOf(context)
  const root = context.skillSources
  const names = await readdir(root).catch(() => [])
  const isKept = (name: string) => {
    const [key = "", stamp = ""] = /^([0-9a-f]{16})-\d+/.exec(name) ?? []
    return making.has(key) || now - (used.get(key) ?? -Infinity) < configLimits.keptMs || context.config.mentions(stamp)
  }
  const stray = names.filter((name) => /^[0-9a-f]{16}-/.test(name) && !isKept(name)).map((name) => join(root, name))
  for (const folder of [...stray, ...strayFolders(root, () => true)]) await remove(context, folder)
}
