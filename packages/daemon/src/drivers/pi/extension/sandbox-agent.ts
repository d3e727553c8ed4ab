import { readFileSync } from "node:fs"
import type { Context, McpServer, Pi } from "./api.ts"
import askTool, { type Ask } from "./ask.ts"
import McpServers from "./mcp.ts"

/** How our dialogs begin; the driver knows them by it, and the JSON behind it. */
const MARK = "sandbox-agent/1 "
/** The status by which the driver learns where the session stands. */
const STATUS_KEY = "sandbox-agent"
/** The status by which it learns of MCP servers that do not start. */
const MCP_STATUS_KEY = "sandbox-agent-mcp"
/** Names a file that the driver has written for this process. */
const SETTINGS_VARIABLE = "PI_SANDBOX_AGENT_SETTINGS"

/** Tools that change nothing and reach nobody new run unasked. */
const free = ["read", "grep", "find", "ls", "ask_user"]

interface Settings {
  systemPrompt?: string
  mcp?: Record<string, McpServer>
  /** Of one message of an MCP server. */
  messageChars?: number
  /** What runs JavaScript as this process does. */
  runtime?: string
}

/** Lets the program that runs Pi decide which tools may run, and asks its users what the model wants to know. */
export default function (pi: Pi): void {
  const { systemPrompt, mcp = {}, messageChars = Number.POSITIVE_INFINITY } = settings()
  let servers: McpServers | undefined

  pi.on("session_start", (_, { ui }: Context) => {
    const failed = (name: string, reason: string) => ui.setStatus(MCP_STATUS_KEY, JSON.stringify({ name, reason }))
    servers ??= new McpServers(pi, mcp, messageChars, failed)
  })

  pi.on("session_shutdown", () => servers?.close())

  pi.on("tool_call", async ({ toolCallId, toolName, input }, context) => {
    if (free.includes(toolName)) return undefined
    const verdict = await ask({ kind: "permission", toolCallId, toolName, input }, context, context.signal)
    const { allow, refuse } = (verdict ?? {}) as { allow?: boolean; refuse?: string }
    return allow === true
      ? undefined
      : { block: true, reason: refuse ?? "Nobody could be asked whether this tool may run." }
  })

  pi.on("before_agent_start", async (event) => {
    await servers?.started()
    if (!systemPrompt) return undefined
    const { systemPromptOptions: options } = event
    // Older versions have only the whole.
    if (options === undefined) return { systemPrompt: `${event.systemPrompt}\n\n${systemPrompt}` }
    options.appendSystemPrompt = [options.appendSystemPrompt, systemPrompt].filter(Boolean).join("\n\n")
    return undefined
  })

  pi.on("agent_end", (_, { ui, sessionManager }) => ui.setStatus(STATUS_KEY, sessionManager.getLeafId?.() ?? undefined))

  pi.registerTool(askTool(ask))
}

const ask: Ask = async (said, context, signal) => {
  if (!context.hasUI) return undefined
  // Without the signal an interrupt would wait for the answer.
  const answer = await context.ui.input(MARK + JSON.stringify(said), "", { signal })
  return answer === undefined ? undefined : JSON.parse(answer)
}

/** Read once: the file is gone by the time extensions are loaded again. What this process starts shall not see the variables. */
function settings(): Settings {
  const kept = globalThis as { [settingsKey]?: Settings }
  const file = process.env[SETTINGS_VARIABLE]
  if (kept[settingsKey] === undefined && file !== undefined) kept[settingsKey] = JSON.parse(readFileSync(file, "utf8"))
  delete process.env[SETTINGS_VARIABLE]
  // They make an executable of ours the runtime of Pi, and would do so with other programs that Pi starts.
  delete process.env.BUN_BE_BUN
  delete process.env.MIMALLOC_PURGE_DELAY
  const found = kept[settingsKey] ?? {}
  // Extensions start Pi again with it.
  if (found.runtime !== undefined) process.execPath = found.runtime
  return found
}

const settingsKey = Symbol.for("sandbox-agent.settings")
