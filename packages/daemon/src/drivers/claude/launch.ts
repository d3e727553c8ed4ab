import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Mcp } from "@sandbox-agent/schema/session"
import type { Host, OpenOptions } from "../../core/driver.ts"
import { sessionFolder } from "../shared/native-home.ts"
import { configHome } from "./home.ts"
import type { Project } from "./project.ts"
import { nativeMode } from "./settings.ts"
import { pluginFolder } from "./skills.ts"

/** One process for the life of a session; permissions, questions and plans come over stdio. */
export const protocolFlags = [
  "--print",
  ...["--input-format", "stream-json"],
  ...["--output-format", "stream-json"],
  "--verbose",
  "--include-partial-messages",
  "--replay-user-messages",
  ...["--permission-prompt-tool", "stdio"],
  // Else plan mode sends what it cannot judge to a classifier on the server, which refuses without asking.
  // Nor does a sandbox of its own mean that nobody is asked.
  ...["--settings", '{"useAutoModeDuringPlan":false,"sandbox":{"autoAllowBashIfSandboxed":false}}'],
]

/** How the process finds its conversation. */
export type Conversation = { start: string } | { resume: string } | { fork: string; as: string }

export async function launchFlags(
  options: OpenOptions,
  conversation: Conversation,
  project: Project,
  host: Host,
): Promise<string[]> {
  const { settings, directory } = options
  const flags = [...protocolFlags, ...project.flags, ...conversationFlags(conversation)]
  flags.push("--permission-mode", nativeMode(settings.permissionMode))
  if (settings.model !== undefined) flags.push("--model", settings.model)
  if (settings.variant !== undefined) flags.push("--effort", settings.variant)
  const folder = sessionFolder(options.sessionId, host)
  if (settings.skills?.length)
    flags.push("--plugin-dir", await pluginFolder(join(folder, "skills"), settings.skills, directory, host))
  // Beside the servers the user has configured, not in their place.
  if (settings.mcp !== undefined) flags.push("--mcp-config", mcpFile(folder, settings.mcp, host))
  return flags
}

function conversationFlags(conversation: Conversation): string[] {
  if ("start" in conversation) return ["--session-id", conversation.start]
  if ("resume" in conversation) return ["--resume", conversation.resume]
  return ["--resume", conversation.fork, "--fork-session", "--session-id", conversation.as]
}

/** A file, because arguments can be read by everyone on the machine and these hold secrets. */
function mcpFile(folder: string, mcp: Mcp, host: Host): string {
  const file = join(folder, "mcp.json")
  const mcpServers = Object.fromEntries(
    Object.entries(mcp).map(([name, server]) => [name, "url" in server ? server : { ...server, type: "stdio" }]),
  )
  return host.asAgent(() => {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    // Made anew: what somebody put there is not written to.
    rmSync(file, { recursive: true, force: true })
    writeFileSync(file, JSON.stringify({ mcpServers }), { mode: 0o600, flag: "wx" })
    return file
  })
}

/**
 * Versions such as 2.1.197 take a message before their MCP servers have started, and have none of their tools in that turn.
 * Newer ones wait, for each server as long as it may take (`MCP_TIMEOUT`); so do those with this.
 */
const waitForMcp = (openMs: number) => ({
  MCP_CONNECTION_NONBLOCKING: "0",
  MCP_CONNECT_TIMEOUT_MS: String(Math.floor(openMs / 2)),
})

/** Our switches, then what the program needs to run, then what the session was given. */
export function environment(
  given: Readonly<Record<string, string>>,
  sessionEnv: Readonly<Record<string, string>>,
  { home, mcpWithinMs }: { home?: string; mcpWithinMs?: number } = {},
): Record<string, string> {
  const env = {
    // The version is chosen by whoever installed it.
    DISABLE_AUTOUPDATER: "1",
    // The todo list as one whole list with each change: TodoWrite, on old and new versions.
    CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
    CLAUDE_CODE_ENABLE_TASKS: "0",
    ...(mcpWithinMs !== undefined && waitForMcp(mcpWithinMs)),
    ...sessionEnv,
    ...given,
  }
  return home === undefined || configHome(env) === home ? env : { ...env, CLAUDE_CONFIG_DIR: home }
}
