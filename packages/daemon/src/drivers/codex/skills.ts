import { cpSync, existsSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Skill } from "@sandbox-agent/schema/session"
import { shortHash } from "./values.ts"

/** A folder with these skills, the same one for the same skills: a server has one set for all its threads. */
export function skillsFolder(root: string, skills: readonly Skill[] = [], directory: string): string | undefined {
  if (skills.length === 0) return undefined
  const sources = skills.map((skill) => ({ ...skill, from: sourceOf(skill, directory) }))
  const stamps = sources.map(({ name, content, from }) => [name, content, from, from && statSync(from).mtimeMs])
  const folder = join(root, shortHash(JSON.stringify(stamps)))
  if (existsSync(folder)) return folder
  // Made aside and renamed: half a folder never has the final name.
  const fresh = `${folder}.${crypto.randomUUID()}`
  for (const { name, content = "", from } of sources) {
    const target = join(fresh, name.replace(/[^A-Za-z0-9._-]/g, "-").replace(/^\.+/, "-"))
    mkdirSync(target, { recursive: true, mode: 0o700 })
    if (from === undefined) writeFileSync(join(target, "SKILL.md"), described(name, content))
    else cpSync(from, target, { recursive: true, dereference: true })
  }
  try {
    renameSync(fresh, folder)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    if (!existsSync(folder)) throw error // else another session was faster
  }
  return folder
}

function sourceOf({ path }: Skill, directory: string): string | undefined {
  if (path === undefined) return undefined
  const given = resolve(directory, path)
  const source = existsSync(given) && statSync(given).isFile() ? dirname(given) : given
  if (existsSync(join(source, "SKILL.md"))) return source
  throw new SandboxAgentError("invalid_request", `skills: ${source} has no SKILL.md`)
}

/** Without a head Codex passes over a skill. */
function described(name: string, content: string): string {
  if (content.startsWith("---")) return content
  const first = content.split("\n").find((line) => line.trim() !== "") ?? name
  const description = JSON.stringify(first.replace(/^#+\s*/, "").slice(0, 200))
  return `---\nname: ${JSON.stringify(name)}\ndescription: ${description}\n---\n${content}`
}
