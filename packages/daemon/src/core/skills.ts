import { join, resolve } from "node:path"
import { headBytes } from "@sandbox-agent/schema/byte-length"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { Skill } from "@sandbox-agent/schema/session"
import { type Allowance, type FolderFile, filesBelow } from "../files/folder-files.ts"
import type { Context } from "./context.ts"
import { ofSkill, skillFolder, skillsAllowance, skillsReach } from "./skill-folders.ts"

type SkillAccess = Pick<Context, "files" | "agentUser"> & Partial<Pick<Context, "skillSources">>

/** Agents pass over a skill they cannot read: whoever gave it would never know. */
export async function assertSkills(skills: readonly Skill[], directory: string, access: SkillAccess): Promise<void> {
  const names = new Set<string>()
  const allowance = skillsAllowance()
  for (const skill of skills) {
    const { name, content } = skill
    if (names.has(name)) throw bad(name, "another skill has the same name")
    names.add(name)
    // A text without a head gets one.
    if (content?.startsWith("---")) assertHead(name, headBytes(content, limits.skillHeadBytes), "its content")
    if (skill.path !== undefined) await assertFolder(name, resolve(directory, skill.path), access, allowance)
  }
}

/** All of it, as it would be copied for the agent. */
async function assertFolder(name: string, given: string, access: SkillAccess, allowance: Allowance): Promise<void> {
  const { agentUser } = access
  const folder = await skillFolder(given)
  let head: string | undefined
  try {
    for await (const file of filesBelow(folder, await skillsReach(access), allowance)) {
      allowance.takeBytes((await file.handle.stat()).size, file.path)
      if (file.name === "SKILL.md") head = await headOf(file)
    }
  } catch (error) {
    const refused = ofSkill(name, error)
    if (agentUser === undefined || !SandboxAgentError.is(refused) || refused.code !== "permission_denied") throw refused
    throw new SandboxAgentError(refused.code, refused.detail, {
      hint: `Let ${agentUser.name}, whom agents run as, read the folder, or give the skill as \`content\`.`,
      ...refused.context,
    })
  }
  if (head === undefined) throw bad(name, `${folder} has no SKILL.md`)
  assertHead(name, head, join(folder, "SKILL.md"))
}

async function headOf({ handle }: FolderFile): Promise<string> {
  const bytes = Buffer.allocUnsafe(limits.skillHeadBytes)
  const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0)
  return bytes.toString("utf8", 0, bytesRead)
}

/** Without a name and a description no agent offers a skill to its model. */
function assertHead(name: string, text: string, where: string): void {
  const head = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? ""
  for (const field of ["name", "description"])
    if (!new RegExp(`^${field}:[ \\t]*\\S`, "m").test(head))
      throw bad(name, `${where} has no ${field} in a head between lines of ---`)
}

const bad = (name: string, detail: string): SandboxAgentError =>
  new SandboxAgentError("invalid_request", `skills.${name}: ${detail}`)
