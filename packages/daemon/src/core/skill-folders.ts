import { closeSync, mkdirSync, openSync, write, writeFileSync } from "node:fs"
import { stat } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { promisify } from "node:util"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import { Confinement, realPath } from "../files/confinement.ts"
import { Allowance, type FolderFile, filesBelow } from "../files/folder-files.ts"
import type { Context } from "./context.ts"
import type { Host } from "./driver.ts"

type SkillAccess = Pick<Context, "files" | "agentUser"> & Partial<Pick<Context, "skillSources">>

/** Where the files of skills may be, and who has to be able to read them. */
export async function skillsReach({ files, agentUser, skillSources }: SkillAccess): Promise<Confinement> {
  const { roots, never, except } = files
  const ours = skillSources === undefined ? [] : [await realPath(skillSources)]
  return new Confinement(roots, never, [...except, ...ours], agentUser)
}

/** Of all skills of a session together. */
export const skillsAllowance = (): Allowance => new Allowance(limits.skillFiles, limits.skillBytes)

/** The folder of a skill, which is named itself or by its SKILL.md. */
export async function skillFolder(given: string): Promise<string> {
  const found = await stat(given).catch(() => undefined)
  return found?.isFile() ? dirname(given) : given
}

/**
 * Puts skills into a new folder, each under its name, for the agent to read; the hash of all that is in it. Nothing is
 * believed of an earlier look: what is copied is what was opened.
 */
export async function layOutSkills(
  access: SkillAccess,
  asAgent: Host["asAgent"],
  ...[skills, directory, folder]: Parameters<Host["layOutSkills"]>
): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256")
  const [reach, allowance] = [await skillsReach(access), skillsAllowance()]
  for (const { name, path, content = "" } of skills) {
    const target = join(folder, name.replace(/[^A-Za-z0-9._-]/g, "-").replace(/^\.+/, "-"))
    asAgent(() => mkdirSync(target, { recursive: true, mode: 0o700 }))
    if (path === undefined) {
      const text = described(name, content)
      hasher.update(`${name}\0${text}\0`)
      asAgent(() => writeFileSync(join(target, "SKILL.md"), text, { flag: "wx" }))
      continue
    }
    const source = await skillFolder(resolve(directory, path))
    try {
      for await (const file of filesBelow(source, reach, allowance)) {
        hasher.update(`${name}\0${file.name}\0`)
        await copy(file, join(target, file.name), asAgent, (bytes) => {
          allowance.takeBytes(bytes.length, file.path)
          hasher.update(bytes)
        })
      }
    } catch (error) {
      throw ofSkill(name, error)
    }
  }
  return hasher.digest("hex")
}

/** As a refusal of the skill: that a file it needs is missing is no answer about the session. */
export function ofSkill(name: string, error: unknown): unknown {
  if (!SandboxAgentError.is(error)) return error
  const code = error.code === "not_found" ? "invalid_request" : error.code
  return new SandboxAgentError(code, `skills.${name}: ${error.detail}`, error.context)
}

const stepBytes = 256 * 1024
const writeTo = promisify(write)

async function copy(
  { handle }: FolderFile,
  target: string,
  asAgent: Host["asAgent"],
  onBytes: (bytes: Uint8Array) => void,
): Promise<void> {
  const { mode } = await handle.stat()
  const made = asAgent(() => {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
    // New, and never through a link; scripts stay what can be run.
    return openSync(target, "wx", (mode & 0o700) | 0o600)
  })
  try {
    for (;;) {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(stepBytes), 0, stepBytes, null)
      if (bytesRead === 0) return
      const bytes = buffer.subarray(0, bytesRead)
      onBytes(bytes)
      for (let done = 0; done < bytesRead; )
        done += (await writeTo(made, bytes, done, bytesRead - done, null)).bytesWritten
    }
  } finally {
    closeSync(made)
  }
}

/** Without a head agents know neither name nor purpose of a skill, and pass it over. */
function described(name: string, content: string): string {
  if (content.startsWith("---")) return content
  const first = content.split("\n").find((line) => line.trim() !== "") ?? name
  const description = JSON.stringify(first.replace(/^#+\s*/, "").slice(0, 200))
  return `---\nname: ${JSON.stringify(name)}\ndescription: ${description}\n---\n${content}`
}
