import { type AgentError, errorCodes, SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Session } from "@sandbox-agent/schema/session"
import { parseJson, textOf } from "./field-value.ts"
import type { Flag } from "./flag.ts"
import { withoutNext } from "./hints.ts"
import { allOf, choiceOf, lastOf, type Parsed } from "./parse.ts"
import { UsageError } from "./usage.ts"

export interface Created {
  readonly healthy: boolean
  readonly error?: AgentError
  readonly session: Session
}

/** Why the agent of a session that was just made is not ready. */
export function agentError(error: AgentError | undefined): SandboxAgentError {
  const { code, message = "the agent is not ready", hint, ...others } = error ?? {}
  const context = { ...others, ...(hint !== undefined && { hint: withoutNext(hint) }) }
  return new SandboxAgentError(errorCodes.find((known) => known === code) ?? "unavailable", message, context)
}

/** What `run` and `chat` take for their session. */
export const sessionFlags: readonly Flag[] = [
  { name: "model", type: "string", placeholder: "MODEL", help: "model, as listed by `agents models`" },
  { name: "variant", type: "string", placeholder: "VARIANT", help: "effort of the model" },
  { name: "mode", type: "string", placeholder: "MODE", help: "agent mode, as listed by `agents modes`" },
  {
    name: "permission-mode",
    type: "string",
    values: ["default", "acceptEdits", "plan", "bypass"],
    help: "what the agent may do without asking",
  },
  { name: "env", type: "list", placeholder: "NAME=VALUE", help: "a variable of the agent; repeat for more" },
  { name: "system-prompt", type: "string", placeholder: "TEXT", help: "goes on top of the agent's own; or @FILE" },
  { name: "mcp", type: "json", placeholder: "JSON", help: "MCP servers by name" },
]

/** The body of a create, as far as flags say it. */
export function sessionBody(parsed: Parsed, command: readonly string[]) {
  const systemPrompt = lastOf(parsed, "system-prompt")
  const mcp = lastOf(parsed, "mcp")
  const env = allOf(parsed, "env").map((pair) => variable(pair, command))
  return {
    model: lastOf(parsed, "model"),
    variant: lastOf(parsed, "variant"),
    agentMode: lastOf(parsed, "mode"),
    permissionMode: choiceOf(parsed, "permission-mode", command),
    systemPrompt: systemPrompt && textOf(systemPrompt, "--system-prompt"),
    mcp: mcp && parseJson(textOf(mcp, "--mcp"), "--mcp", { cli: command }),
    env: env.length > 0 ? (Object.fromEntries(env) as Record<string, string>) : undefined,
  }
}

function variable(pair: string, command: readonly string[]): [name: string, value: string] {
  const equals = pair.indexOf("=")
  if (equals > 0) return [pair.slice(0, equals), pair.slice(equals + 1)]
  const value = process.env[pair]
  if (value === undefined)
    throw new UsageError(`--env: ${JSON.stringify(pair.slice(0, 20))} is not NAME=VALUE`, command)
  return [pair, value]
}
