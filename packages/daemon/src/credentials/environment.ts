import type { Credential } from "./credential.ts"
import { variablesOf } from "./providers.ts"

export interface AsEnvironment {
  variables: Record<string, string>
  /** What no variable can carry. */
  notes: string[]
}

/** The variables that give another machine the same credentials. The first found for a name stays. */
export function asEnvironment(credentials: readonly Credential[]): AsEnvironment {
  const variables: Record<string, string> = {}
  const notes: string[] = []
  for (const credential of credentials) {
    const names = variablesFor(credential)
    if (names.length === 0) {
      const { agent, provider, kind } = credential
      notes.push(`${agent}: the ${kind} of ${provider} cannot be given by environment; copy its file`)
    }
    for (const name of names) variables[name] ??= credential.value
  }
  return { variables, notes: [...new Set(notes)] }
}

function variablesFor({ agent, provider, kind, source }: Credential): string[] {
  if ("env" in source && source.env !== "OPENCODE_AUTH_CONTENT" && source.env !== "OPENCODE_CONFIG_CONTENT")
    return [source.env]
  if (agent === "amp") return ["AMP_API_KEY"]
  if (agent === "claude")
    return [
      { api_key: "ANTHROPIC_API_KEY", auth_token: "ANTHROPIC_AUTH_TOKEN", oauth: "CLAUDE_CODE_OAUTH_TOKEN" }[kind],
    ]
  if (kind === "api_key") return variablesOf(provider).slice(0, 1)
  // Pi alone takes a subscription's token by environment.
  return agent === "pi" && provider === "anthropic" && kind === "oauth" ? ["ANTHROPIC_OAUTH_TOKEN"] : []
}

/** Lines for a shell: `NAME='value'`, with `export` in front when asked. */
export function shellLines(variables: Readonly<Record<string, string>>, exported = false): string[] {
  return Object.entries(variables).map(
    ([name, value]) => `${exported ? "export " : ""}${name}='${value.replaceAll("'", `'\\''`)}'`,
  )
}
