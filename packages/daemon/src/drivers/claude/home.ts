import { opendir } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import type { Host, OpenFrom } from "../../core/driver.ts"
import { isThere } from "../shared/is-there.ts"
import { keptHome } from "../shared/native-home.ts"

/** Where Claude Code keeps its sessions under this environment. */
export const configHome = (env: Readonly<Record<string, string | undefined>>): string =>
  env.CLAUDE_CONFIG_DIR ?? process.env.CLAUDE_CONFIG_DIR ?? join(env.HOME ?? process.env.HOME ?? homedir(), ".claude")

export const homeOf = (from: OpenFrom, env: Readonly<Record<string, string>>, host: Host): string =>
  keptHome(from, host) ?? configHome(env)

export const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The file of a session, in whichever project's folder it lies. The id comes from outside: only a UUID is a name. */
export async function sessionFile(home: string, id: string): Promise<string | undefined> {
  if (!uuid.test(id)) return undefined
  const projects = join(home, "projects")
  const folders = await opendir(projects).catch(() => [])
  for await (const { name } of folders) {
    const file = join(projects, name, `${id}.jsonl`)
    if (await isThere(file)) return file
  }
  return undefined
}
