import { opendir } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import type { Host, OpenFrom } from "../../core/driver.ts"
import { keptHome } from "../shared/native-home.ts"

type Variables = Readonly<Record<string, string | undefined>>

/** Where Pi keeps its sessions under this environment: in one folder, or in one for each directory. */
export function sessionsHome(env: Variables): string {
  if (env.PI_CODING_AGENT_SESSION_DIR) return expanded(env.PI_CODING_AGENT_SESSION_DIR, env)
  const agent = env.PI_CODING_AGENT_DIR ? expanded(env.PI_CODING_AGENT_DIR, env) : join(homeOf(env), ".pi", "agent")
  return join(agent, "sessions")
}

const homeOf = (env: Variables): string => env.HOME ?? homedir()

const expanded = (path: string, env: Variables): string => path.replace(/^~(?=\/|$)/, homeOf(env))

/** A session is looked for where it was made. */
export const homeFor = (from: OpenFrom, env: Variables, host: Host): string => keptHome(from, host) ?? sessionsHome(env)

/** What Pi takes for an id; anything else is no name of a file. */
export const sessionId = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/

/** The file of a session, in whichever directory's folder it lies: named by when it began, and by its id. */
export async function findSession(home: string, id: string): Promise<string | undefined> {
  if (!sessionId.test(id)) return undefined
  const folders: string[] = []
  for await (const entry of await opendir(home).catch(() => [])) {
    if (entry.name.endsWith(`_${id}.jsonl`)) return join(home, entry.name)
    if (entry.isDirectory()) folders.push(join(home, entry.name))
  }
  for (const folder of folders)
    for await (const { name } of await opendir(folder).catch(() => []))
      if (name.endsWith(`_${id}.jsonl`)) return join(folder, name)
  return undefined
}
