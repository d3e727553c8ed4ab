import { cpSync, existsSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Skill } from "@sandbox-agent/schema/session"

/** Skills of one session as a plugin folder: Claude Code loads it for this process and writes nothing of it elsewhere. */
export function skillsFolder(root: string, skills: readonly Skill[], directory: string): string {
  rmSync(root, { recursive: true, force: true })
  mkdirSync(join(root, ".claude-plugin"), { recursive: true, mode: 0o700 })
  const manifest = { name: "session", version: "1.0.0", description: "Skills given to this session" }
  writeFileSync(join(root, ".claude-plugin", "plugin.json"), JSON.stringify(manifest))
  for (const skill of skills) addSkill(root, skill, directory)
  return root
}

function addSkill(root: string, { name, path, content }: Skill, directory: string): void {
  const folder = join(root, "skills", name.replace(/[^A-Za-z0-9._-]/g, "-").replace(/^\.+/, "-"))
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

/** Without a head Claude Code knows neither name nor purpose of a skill. */
function described(name: string, content: string): string {
  if (content.startsWith("---")) return content
  const first = content.split("\n").find((line) => line.trim() !== "") ?? name
  const description = JSON.stringify(first.replace(/^#+\s*/, "").slice(0, 200))
  return `---\nname: ${JSON.stringify(name)}\ndescription: ${description}\n---\n${content}`
}
