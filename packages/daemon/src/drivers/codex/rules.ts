import { readdir } from "node:fs/promises"
import { dirname, isAbsolute, join, resolve } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import { type Confinement, realPath } from "../../files/confinement.ts"
import { readIfRegular } from "../../files/regular-file.ts"
import { decides } from "../shared/place-of.ts"

/**
 * Rules of the user by which Codex runs commands without asking, in any of its approval policies and outside of its
 * sandbox. `codex app-server` has no flag, setting or feature that leaves them out: all we can do is to say so.
 */
export async function allowingRules(home: string, reach: Confinement): Promise<string[]> {
  const folder = join(home, "rules")
  const names = await readdir(folder).catch(() => [])
  const files = names.filter((name) => name.endsWith(".rules")).sort()
  const texts = await Promise.all(
    files.map(async (name) => (await readIfRegular(join(folder, name), limits.settingsFileBytes, reach))?.toString()),
  )
  return files.filter((_, i) => allows(texts[i] ?? "")).map((name) => join(folder, name))
}

/** A rule that does not say what it decides allows. */
const allows = (text: string): boolean =>
  text
    .replaceAll(/^\s*#.*$/gm, "")
    .split(/\bprefix_rule\s*\(/)
    .slice(1)
    .some((rule) => !/\bdecision\s*=\s*["'](prompt|forbidden)["']/.test(rule))

/** Whether this file decides what Codex asks for, of the user or of a project: its settings, its hooks, or one among its rules. */
export async function isDeciding(path: string, directory: string, home: string): Promise<boolean> {
  const name = /\/\.codex\/(config\.toml|hooks\.json)$/iu
  const files = async () => [join(home, "config.toml"), join(home, "hooks.json")]
  if (await decides(path, directory, { name, files })) return true
  const rules = { name: /\/\.codex\/rules$/iu, files: async () => [join(home, "rules")] }
  const written = isAbsolute(path) ? path : `${directory}/${path}`
  const folders = [written, await realPath(written), await realPath(resolve(written))].map(dirname)
  return (await Promise.all(folders.map((folder) => decides(folder, directory, rules)))).includes(true)
}
