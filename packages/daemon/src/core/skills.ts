import { stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { headBytes } from "@sandbox-agent/schema/byte-length"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { Skill } from "@sandbox-agent/schema/session"
import type { AgentUser } from "./agent-user.ts"

/** Agents pass over a skill they cannot read: whoever gave it would never know. */
export async function assertSkills(skills: readonly Skill[], directory: string, agentUser?: AgentUser): Promise<void> {
  const names = new Set<string>()
  for (const skill of skills) {
    const { name, content } = skill
    if (names.has(name)) throw bad(name, "another skill has the same name")
    names.add(name)
    // A text without a head gets one.
    if (content?.startsWith("---")) assertHead(name, headBytes(content, limits.skillHeadBytes), "its content")
    if (skill.path !== undefined) await assertFile(name, resolve(directory, skill.path), agentUser)
  }
}

/** The folder of a skill, or its SKILL.md. */
async function assertFile(name: string, given: string, agentUser: AgentUser | undefined): Promise<void> {
  const found = await stat(given).catch(() => undefined)
  const file = join(found?.isFile() ? dirname(given) : given, "SKILL.md")
  if (!(await stat(file).catch(() => undefined))?.isFile()) throw bad(name, `${dirname(file)} has no SKILL.md`)
  if (agentUser !== undefined && !(await agentUser.canRead(file)))
    throw new SandboxAgentError("permission_denied", `skills.${name}: user ${agentUser.name} cannot read ${file}`, {
      hint: `Let ${agentUser.name}, whom agents run as, read the folder, or give the skill as \`content\`.`,
    })
  const head = await Bun.file(file)
    .slice(0, limits.skillHeadBytes)
    .text()
    .catch((error: unknown) => {
      throw bad(name, `${file} cannot be read (${String(error)})`)
    })
  assertHead(name, head, file)
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
