import { readdir } from "node:fs/promises"
import { basename, join } from "node:path"
import type { SkillSource, SkillsConfig } from "@sandbox-agent/schema/config"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import { type Skill, SkillNameSchema } from "@sandbox-agent/schema/session"
import { Confinement, realPath } from "../../files/confinement.ts"
import { Allowance } from "../../files/folder-files.ts"
import { missing, openRegular } from "../../files/regular-file.ts"
import type { Context } from "../context.ts"
import { skillsReach } from "../skill-folders.ts"
import { gitAddress } from "./git-address.ts"
import { folderOf } from "./skill-sources.ts"

/** With `stamp`, by which what is fetched for it is told from what was fetched for an earlier one. */
export type StoredSkills = SkillsConfig & { stamp: string }

/** What can be known of sources before anything is fetched. */
export function checkedSkills(config: SkillsConfig): SkillsConfig {
  for (const [i, source] of config.sources.entries()) checkSource(source, `sources.${i}`)
  return config
}

function checkSource(source: SkillSource, where: string): void {
  const bad = (detail: string) => new SandboxAgentError("invalid_request", `${where}.${detail}`)
  const { type } = source
  if (type === "inline") {
    if (!SkillNameSchema.safeParse(source.source).success) throw bad(`source: ${source.source} is no name of a skill`)
    if (source.files?.["SKILL.md"] === undefined) throw bad("files: SKILL.md is missing")
    for (const field of ["ref", "subpath", "skills"] as const)
      if (source[field] != null) throw bad(`${field}: an inline skill has none`)
    return
  }
  if (source.files != null) throw bad("files: only an inline skill has them")
  if (type === "git" || type === "github") return void gitAddress(source)
  if (type !== "local") throw bad(`type: ${type} is none of local, git, github, inline`)
  if (source.ref != null) throw bad("ref: a folder has none")
}

/** All skills of an entry, as sessions have them. */
export async function skillsOf(
  context: Context,
  entry: string,
  { sources, stamp }: StoredSkills,
  directory: string,
): Promise<Skill[]> {
  const found: Skill[] = []
  for (const [i, source] of sources.entries()) {
    const { folder, ours } = await folderOf(context, `${stamp}-${i}`, source, directory)
    const reach = ours
      ? new Confinement([await realPath(folder)], [], [], context.agentUser)
      : await skillsReach(context)
    const here = await skillsIn(folder, reach)
    if (here.length === 0) throw none(entry, source, "no skills are there")
    const wanted = source.skills ?? here.map(({ name }) => name)
    for (const name of wanted) {
      const skill = here.find((one) => one.name === name)
      if (skill === undefined) throw none(entry, source, `there is no skill ${name}`)
      found.push(skill)
    }
  }
  return found
}

const none = (entry: string, { source }: SkillSource, what: string): SandboxAgentError =>
  new SandboxAgentError("invalid_request", `skills of the entry ${entry}: ${what} in ${source}`)

/** One skill, if the folder is one; else those that are its folders, or the folders of its `skills`. */
async function skillsIn(folder: string, reach: Confinement): Promise<Skill[]> {
  const allowance = new Allowance(limits.skillFiles, 0)
  const itself = await skillAt(folder, reach)
  if (itself !== undefined) return [itself]
  for (const place of [folder, join(folder, "skills")]) {
    const found = await skillsBelow(place, reach, allowance)
    if (found.length > 0) return found
  }
  return []
}

async function skillsBelow(folder: string, reach: Confinement, allowance: Allowance): Promise<Skill[]> {
  reach.assert(await realPath(folder), folder)
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) =>
    error.code === "ENOENT" ? [] : missing(folder, error),
  )
  allowance.takeEntries(names.length, folder)
  const found: Skill[] = []
  for (const name of names.sort()) {
    const skill = await skillAt(join(folder, name), reach)
    if (skill !== undefined) found.push(skill)
  }
  return found
}

/** Called as its SKILL.md says, else as its folder. */
async function skillAt(folder: string, reach: Confinement): Promise<Skill | undefined> {
  const handle = await openRegular(join(folder, "SKILL.md"), reach).catch((error: unknown) => {
    if (SandboxAgentError.is(error) && error.code === "not_found") return undefined
    throw error
  })
  if (handle === undefined) return undefined
  try {
    const bytes = Buffer.allocUnsafe(limits.skillHeadBytes)
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0)
    const head = /^---\r?\n([\s\S]*?)\r?\n---/.exec(bytes.toString("utf8", 0, bytesRead))?.[1] ?? ""
    const said = /^name:[ \t]*["']?([^\s"']+)/m.exec(head)?.[1]
    const name = [said, basename(folder)].find((one) => SkillNameSchema.safeParse(one).success)
    if (name !== undefined) return { name, path: folder }
    throw new SandboxAgentError("invalid_request", `${folder} is no skill: its name is none that a skill can have`)
  } finally {
    await handle.close()
  }
}
