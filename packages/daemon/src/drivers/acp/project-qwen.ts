import { randomUUID } from "node:crypto"
import { mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Host } from "../../core/driver.ts"
import { type Json, record } from "../shared/json.ts"
import { shortHash } from "../shared/launcher.ts"
import { projectText } from "../shared/project-files.ts"
import { writtenSettings } from "../shared/written-settings.ts"
import type { Distrust } from "./project.ts"
import { isHome, settingsOf, variablesOf } from "./project-settings.ts"

const SETTINGS = "QWEN_CODE_SYSTEM_SETTINGS_PATH"
const DEFAULTS = "QWEN_CODE_SYSTEM_DEFAULTS_PATH"

/**
 * Qwen Code reads settings where it trusts the folder of the session, and goes by the folder of its process for the
 * rest. It stands in a folder of ours, which is the only one that is trusted: what the project says (QWEN.md, skills,
 * agents, commands) and MCP servers of the session work, and its settings are not read.
 */
export const qwenCode: Distrust = {
  async brings(place) {
    const settings = (await isHome(place.directory, place.environment))
      ? []
      : await settingsOf(place, join(".qwen", "settings.json"), (all) =>
          Object.keys(all).filter((key) => !key.startsWith("$")),
        )
    return [...settings, ...(await variablesOf(place, ".qwen", () => true))]
  },
  async env(_, environment, host) {
    const file = environment[SETTINGS] || usual
    const settings = distrustful(await administratorsSettings(file, host))
    const defaults = environment[DEFAULTS] || join(dirname(file), "system-defaults.json")
    return {
      [SETTINGS]: written("settings", settings, host),
      // Else they are looked for beside the settings.
      [DEFAULTS]: defaults,
      QWEN_CODE_TRUSTED_FOLDERS_PATH: written("trusted", { [host.home]: "TRUST_FOLDER" }, host),
    }
  },
  more: "",
}

const usual =
  process.platform === "darwin" ? "/Library/Application Support/QwenCode/settings.json" : "/etc/qwen-code/settings.json"

/** They come before all others: those of whoever runs the machine stay in force. */
async function administratorsSettings(file: string, host: Host): Promise<Json> {
  const text = await projectText(file, host.reach)
  if (text === undefined) return {}
  const settings = writtenSettings(text)
  if (settings === undefined) throw new SandboxAgentError("unavailable", `${file} cannot be read as settings`)
  return settings
}

/** In its mode `yolo` it would start the servers of a project's `.mcp.json`; which one it is in is chosen by us. */
const distrustful = (settings: Json): Json => ({
  ...settings,
  security: {
    ...record(settings.security),
    folderTrust: { ...record(record(settings.security).folderTrust), enabled: true },
  },
  tools: { ...record(settings.tools), approvalMode: "default" },
})

/** Named for what is in it, and made anew each time: a process may be reading it, and may have changed it. */
function written(name: string, value: Json, { home, asAgent }: Host): string {
  const content = JSON.stringify(value)
  const folder = join(home, "distrust")
  const file = join(folder, `${name}-${shortHash(content)}.json`)
  const fresh = `${file}.${randomUUID()}`
  asAgent(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    try {
      writeFileSync(fresh, content, { mode: 0o600, flag: "wx" })
      renameSync(fresh, file)
    } finally {
      rmSync(fresh, { force: true })
    }
  })
  return file
}
