import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Skill } from "@sandbox-agent/schema/session"
import type { Host } from "../../core/driver.ts"

/** Skills of one session as a plugin folder: Claude Code loads it for this process and writes nothing of it elsewhere. */
export async function pluginFolder(
  root: string,
  skills: readonly Skill[],
  directory: string,
  host: Pick<Host, "asAgent" | "remove" | "layOutSkills">,
): Promise<string> {
  await host.remove(root)
  const manifest = { name: "session", version: "1.0.0", description: "Skills given to this session" }
  host.asAgent(() => {
    mkdirSync(join(root, ".claude-plugin"), { recursive: true, mode: 0o700 })
    writeFileSync(join(root, ".claude-plugin", "plugin.json"), JSON.stringify(manifest), { flag: "wx" })
  })
  await host.layOutSkills(skills, directory, join(root, "skills"))
  return root
}
