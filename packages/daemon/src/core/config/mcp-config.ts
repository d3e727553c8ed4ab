import { resolve } from "node:path"
import { hiddenValue, type McpConfig } from "@sandbox-agent/schema/config"
import type { McpServerConfig } from "@sandbox-agent/schema/config-view"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { McpServer } from "@sandbox-agent/schema/session"
import { NotSupported } from "../driver.ts"

type Texts = Readonly<Record<string, string>>

/** What other programs call the two ways to reach a server. */
const transports: Readonly<Record<string, "http" | "sse">> = {
  http: "http",
  "streamable-http": "http",
  streamable_http: "http",
  streamableHttp: "http",
  sse: "sse",
}

/** Refuses what nobody could take, and puts the values that are stored where they are meant. */
export function checkedMcp(given: McpConfig, before: McpConfig | undefined): McpConfig {
  if (given.type === "local") {
    const known = before?.type === "local" && before.command === given.command ? before.env : undefined
    return { ...given, env: revealed("env", given.env, known, "command") }
  }
  if (given.oauth != null)
    throw new NotSupported("oauth: logging in to MCP servers is not supported", {
      option: "oauth",
      hint: "Give the token by bearerTokenEnvVar or headers.",
    })
  transportOf(given.transport)
  assertOneEach(given)
  const known = before?.type === "remote" && before.url === given.url ? before.headers : undefined
  return { ...given, headers: revealed("headers", given.headers, known, "url") }
}

function transportOf(transport: string | null | undefined): "http" | "sse" {
  const known = transports[transport ?? "http"]
  if (known !== undefined) return known
  throw new SandboxAgentError("invalid_request", `transport: ${transport} is neither http nor sse`)
}

/** Of two values for one header nobody could say which is meant. */
function assertOneEach({ headers, envHeaders, bearerTokenEnvVar }: Extract<McpConfig, { type: "remote" }>): void {
  const names = [...Object.keys(headers ?? {}), ...Object.keys(envHeaders ?? {})]
  if (bearerTokenEnvVar != null) names.push("authorization")
  const lower = names.map((name) => name.toLowerCase())
  const twice = lower.find((name, i) => lower.indexOf(name) !== i)
  if (twice !== undefined) throw new SandboxAgentError("invalid_request", `the header ${twice} is given twice`)
}

/** What was hidden when it was read is what is stored; for another program or address nothing is. */
function revealed(
  field: string,
  given: Texts | null | undefined,
  known: Texts | null | undefined,
  same: string,
): Record<string, string> | null | undefined {
  if (given == null) return given
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (value !== hiddenValue) return [name, value]
      const stored = known?.[name]
      if (stored !== undefined) return [name, stored]
      throw new SandboxAgentError("invalid_request", `${field}.${name}: no value is stored for it with this ${same}`)
    }),
  )
}

/** As it is answered: names, and no value that may be a secret. */
export function hiddenMcp(config: McpConfig): McpServerConfig {
  if (config.type === "local") return { ...config, ...(config.env && { env: hidden(config.env) }) }
  const { oauth, ...rest } = config
  return { ...rest, ...(config.headers && { headers: hidden(config.headers) }), ...(oauth === null && { oauth }) }
}

const hidden = (values: Texts): Record<string, string> =>
  Object.fromEntries(Object.keys(values).map((name) => [name, hiddenValue]))

/** As sessions have it. `variable`: the value of one when the session is created. */
export function serverOf(
  name: string,
  config: McpConfig,
  directory: string,
  variable: (name: string) => string | undefined,
): McpServer {
  const timeout = config.timeoutMs == null ? {} : { timeoutMs: config.timeoutMs }
  if (config.type === "local") {
    const { command, args = [], cwd, env } = config
    return { command, args, ...(env && { env }), ...(cwd != null && { cwd: resolve(directory, cwd) }), ...timeout }
  }
  const needed = (variableName: string): string => {
    const value = variable(variableName)
    if (value !== undefined && !/[\0\r\n]/.test(value)) return value
    throw new SandboxAgentError(
      "invalid_request",
      `mcp.${name}: the variable ${variableName} ${value === undefined ? "is not set" : "has a value that is no header"}`,
      { hint: "Set it where the daemon runs, or give it in `env` of the session." },
    )
  }
  const { url, headers, envHeaders, bearerTokenEnvVar } = config
  const allHeaders: Record<string, string> = { ...headers }
  for (const [header, from] of Object.entries(envHeaders ?? {})) allHeaders[header] = needed(from)
  if (bearerTokenEnvVar != null) allHeaders.Authorization = `Bearer ${needed(bearerTokenEnvVar)}`
  const some = Object.keys(allHeaders).length > 0
  return { type: transportOf(config.transport), url, ...(some && { headers: allHeaders }), ...timeout }
}
