import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { piLimits } from "@sandbox-agent/schema/driver-limits"
import type { Host, OpenOptions } from "../../core/driver.ts"
import type { Launcher } from "../shared/launcher.ts"
import { sessionFolder } from "../shared/native-home.ts"
import { skillsFolder } from "../shared/skills-folder.ts"
import { extensionFile } from "./extension-file.ts"
import { splitModel } from "./models.ts"
import { runtimeFile } from "./runtime-file.ts"

/** One process for the life of a session. */
export const protocolFlags = ["--mode", "rpc"]

/** How the process finds its session: under a new id, or by its file. */
export type Beginning = { start: string } | { file: string }

export interface Launch {
  command: string[]
  env: Record<string, string>
  /** Removes what holds secrets, once it was read. */
  forget(): void
}

export async function launchOf(
  options: OpenOptions,
  beginning: Beginning,
  launcher: Launcher,
  host: Host,
): Promise<Launch> {
  const { settings, directory, sessionId } = options
  const command = [
    ...launcher.command,
    ...protocolFlags,
    ...("start" in beginning ? ["--session-id", beginning.start] : ["--session", beginning.file]),
    ...["--extension", extensionFile(host)],
  ]
  if (settings.model !== undefined) {
    const { provider, modelId } = splitModel(settings.model)
    command.push("--provider", provider, "--model", modelId)
  }
  if (settings.variant !== undefined) command.push("--thinking", settings.variant)
  const skills = await skillsFolder(settings.skills, directory, host)
  if (skills !== undefined) command.push("--skill", skills)
  const { systemPrompt, mcp } = settings
  const file = join(sessionFolder(sessionId, host), "extension.json")
  const runtime = runtimeFile(launcher, host)
  writeSecret(
    sessionFolder(sessionId, host),
    file,
    { systemPrompt, mcp, messageChars: piLimits.mcpMessageChars, runtime },
    host,
  )
  const env = { ...environment(options.env, launcher.env), [SETTINGS_VARIABLE]: file }
  return { command, env, forget: () => host.asAgent(() => rmSync(file, { force: true })) }
}

/** Where our extension finds what it is to do; read by it alone (`extension/sandbox-agent.ts`). */
export const SETTINGS_VARIABLE = "PI_SANDBOX_AGENT_SETTINGS"

/** A file, because arguments and variables can be read by others and these hold secrets. */
function writeSecret(folder: string, file: string, value: object, host: Pick<Host, "asAgent">): void {
  host.asAgent(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // Made anew: what somebody put there is not written to.
    rmSync(file, { recursive: true, force: true })
    writeFileSync(file, JSON.stringify(value), { mode: 0o600, flag: "wx" })
  })
}

/** Our switches, then what the program needs to run, then what the session was given. */
export const environment = (
  given: Readonly<Record<string, string>>,
  own: Readonly<Record<string, string>>,
): Record<string, string> => ({
  // The version is chosen by whoever installed it.
  PI_SKIP_VERSION_CHECK: "1",
  // What it needed to start is given back at once, not kept for later.
  ...(own.BUN_BE_BUN !== undefined && { MIMALLOC_PURGE_DELAY: "0" }),
  ...own,
  ...given,
})
