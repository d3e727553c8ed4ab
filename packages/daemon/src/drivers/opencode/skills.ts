import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs"
import { dirname, join, resolve } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Skill } from "@sandbox-agent/schema/session"

/** Skills given to sessions as a folder that OpenCode is told of, named for its content: the same skills, one folder. */
export function skillsFolder(root: string, skills: readonly Skill[], directory: string): string | undefined {
  if (skills.length === 0) return undefined
  mkdirSync(root, { recursive: true, mode: 0o700 })
  const fresh = mkdtempSync(join(root, ".new-"))
  try {
    for (const skill of skills) addSkill(fresh, skill, directory)
    const folder = join(root, hashOf(fresh))
    if (!existsSync(folder)) renameSync(fresh, folder)
    return folder
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}

function addSkill(root: string, { name, path, content }: Skill, directory: string): void {
  const folder = join(root, name.replace(/[^A-Za-z0-9._-]/g, "-").replace(/^\.+/, "-"))
  if (path === undefined) {
    mkdirSync(folder, { recursive: true })
    return writeFileSync(join(folder, "SKILL.md"), described(name, content ?? ""))
  }
  const given = resolve(directory, path)
  const source = existsSync(given) && statSync(given).isFile() ? dirname(given) : given
  if (!existsSync(join(source, "SKILL.md")))
    throw new SandboxAgentError("invalid_request", `skills: ${source} has no SKILL.md`)
  cpSync(source, folder, { recursive: true, dereference: true })
}

/** Without a head OpenCode passes a skill over. */
function described(name: string, content: string): string {
  if (content.startsWith("---")) return content
  const first = content.split("\n").find((line) => line.trim() !== "") ?? name
  const description = JSON.stringify(first.replace(/^#+\s*/, "").slice(0, 200))
  return `---\nname: ${JSON.stringify(name)}\ndescription: ${description}\n---\n${content}`
}

function hashOf(folder: string): string {
  const hasher = new Bun.CryptoHasher("sha256")
  const files = [...new Bun.Glob("**/*").scanSync({ cwd: folder, dot: true })].sort((a, b) => (a < b ? -1 : 1))
  for (const file of files) hasher.update(`${file}\0`).update(readFileSync(join(folder, file)))
  return hasher.digest("hex").slice(0, 16)
}
