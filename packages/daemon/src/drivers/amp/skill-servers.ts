import { readdir } from "node:fs/promises"
import { dirname, join } from "node:path"
import { ampLimits } from "@sandbox-agent/schema/driver-limits"
import { limits } from "@sandbox-agent/schema/limits"
import type { Confinement } from "../../files/confinement.ts"
import { readIfRegular } from "../../files/regular-file.ts"
import { type Json, record } from "../shared/json.ts"

/** An MCP server that a skill brings with it. Amp starts it with itself, whether the skill is used or not. */
export interface SkillServer {
  name: string
  spec: Json
  file: string
}

/** Folders that Amp looks for skills in: of the workspace, up to the top of the file system, and of the user. */
export const workspaceSkills = (directory: string): string[] =>
  upwards(directory).flatMap((folder) => [join(folder, ".agents", "skills"), join(folder, ".claude", "skills")])

export const userSkills = (home: string): string[] => [
  join(home, ".config", "agents", "skills"),
  join(home, ".config", "amp", "skills"),
  join(home, ".claude", "skills"),
  join(home, ".claude", "plugins", "cache"),
]

function upwards(directory: string): string[] {
  const above = dirname(directory)
  return above === directory ? [directory] : [directory, ...upwards(above)]
}

/** What the skills in these folders bring; of too many folders only the first are looked at. */
export async function skillServers(folders: readonly string[], reach: Confinement): Promise<SkillServer[]> {
  const found: SkillServer[] = []
  let left: number = ampLimits.skillFolders
  const look = async (folder: string, depth: number): Promise<void> => {
    if (left-- <= 0) return
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.name === "mcp.json") found.push(...(await serversOf(path, reach)))
      else if (depth < DEPTH && !entry.isFile() && !passedOver.includes(entry.name)) await look(path, depth + 1)
    }
  }
  for (const folder of folders) await look(folder, 0)
  return found
}

/** As deep as Amp looks. */
const DEPTH = 6
const passedOver = ["node_modules", ".git"]

async function serversOf(file: string, reach: Confinement): Promise<SkillServer[]> {
  const bytes = await readIfRegular(file, limits.settingsFileBytes, reach)
  const all = parsed(bytes?.toString("utf8") ?? "{}")
  const servers = all["amp.mcpServers"] === undefined ? all : record(all["amp.mcpServers"])
  return Object.entries(servers).map(([name, spec]) => ({ name, spec: record(spec), file }))
}

/** Amp takes no other JSON than this either. */
function parsed(text: string): Json {
  try {
    return record(JSON.parse(text))
  } catch {
    return {}
  }
}
