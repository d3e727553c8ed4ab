import { existsSync, renameSync } from "node:fs"
import { join } from "node:path"
import type { Skill } from "@sandbox-agent/schema/session"
import type { Host } from "../../core/driver.ts"

/** A folder with these skills, named for its content: a server has one set for all its sessions. */
export async function skillsFolder(
  skills: readonly Skill[] = [],
  directory: string,
  host: Pick<Host, "home" | "asAgent" | "remove" | "layOutSkills">,
): Promise<string | undefined> {
  if (skills.length === 0) return undefined
  const root = join(host.home, "skills")
  // Made aside and renamed: half a folder never has the final name.
  const fresh = join(root, `.new-${crypto.randomUUID()}`)
  try {
    const hash = await host.layOutSkills(skills, directory, fresh)
    const folder = join(root, hash.slice(0, 16))
    host.asAgent(() => existsSync(folder) || renameSync(fresh, folder))
    return folder
  } finally {
    if (existsSync(fresh)) await host.remove(fresh)
  }
}
