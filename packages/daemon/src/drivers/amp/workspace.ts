import { join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { Confinement } from "../../files/confinement.ts"
import { readRegular } from "../../files/regular-file.ts"
import { isThere } from "../shared/is-there.ts"
import { type Json, list, record } from "../shared/json.ts"
import { decides } from "../shared/place-of.ts"
import { foldersOf } from "../shared/project-files.ts"
import { writtenSettings } from "../shared/written-settings.ts"

const names = ["settings.json", "settings.jsonc"]

/** Whether this file decides what Amp asks for. */
export const isWorkspaceSettings = (path: string, directory: string): Promise<boolean> =>
  decides(path, directory, {
    name: /\/\.amp\/settings\.jsonc?$/iu,
    files: async () => (await settingsFolders(directory)).flatMap((folder) => names.map((name) => join(folder, name))),
  })

/**
 * Amp puts the settings of a workspace before the ones we give it: a rule there that allows a tool, or that everything is
 * allowed, would let tools run that nobody was asked for, and a toolbox is programs that run with Amp. Nothing can be put
 * before them, so such a workspace is refused. Answers its MCP servers: those Amp starts when its user has approved them.
 */
export async function assertAsks(directory: string, reach: Confinement): Promise<readonly Json[]> {
  const file = await settingsOf(directory)
  if (file === undefined) return []
  const text = (await readRegular(file, limits.settingsFileBytes, reach)).toString("utf8")
  const settings = writtenSettings(text)
  const loosens = looseningOf(settings)
  if (loosens === undefined) return Object.values(record(settings?.["amp.mcpServers"])).map(record)
  throw new SandboxAgentError(
    "permission_denied",
    `${file} has ${loosens}: Amp would run tools that nobody is asked for`,
    {
      agent: "amp",
      hint: "Remove it from there, or choose permission mode bypass.",
    },
  )
}

/** As Amp looks for it: in the directory and those above it, up to the top of the repository. */
async function settingsOf(directory: string): Promise<string | undefined> {
  for (const folder of await settingsFolders(directory))
    for (const name of names) {
      const file = join(folder, name)
      if (await isThere(file)) return file
    }
  return undefined
}

const settingsFolders = async (directory: string): Promise<string[]> =>
  (await foldersOf(directory)).map((folder) => join(folder, ".amp"))

function looseningOf(settings: Json | undefined): string | undefined {
  if (settings === undefined) return "settings that cannot be read"
  if (settings["amp.dangerouslyAllowAll"] === true) return "amp.dangerouslyAllowAll"
  const power = powers.find((name) => settings[name] !== undefined)
  if (power !== undefined) return power
  const rules = settings["amp.permissions"]
  if (rules === undefined) return undefined
  const onlyRefuse = Array.isArray(rules) && list(rules).every((rule) => record(rule).action === "reject")
  return onlyRefuse ? undefined : "amp.permissions that do more than reject"
}

/** Programs that run by themselves, and what decides which MCP servers start. */
const powers = ["amp.toolbox.path", "amp.mcpPermissions", "amp.mcpTrustedServers", "amp.mcpTrustedWorkspaces"]
