import { shellQuoted } from "@sandbox-agent/schema/shell-word"
import { nativeAgent } from "../drivers/table.ts"
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

function variablesFor(credential: Credential): string[] {
  const { agent, provider, kind, source } = credential
  if ("env" in source && source.env !== "OPENCODE_AUTH_CONTENT" && source.env !== "OPENCODE_CONFIG_CONTENT")
    return [source.env]
  const named = nativeAgent(agent)?.credentials?.variablesFor?.(credential)
  return [...(named ?? (kind === "api_key" ? variablesOf(provider).slice(0, 1) : []))]
}

/** Lines for a shell: `NAME='value'`, with `export` in front when asked. */
export function shellLines(variables: Readonly<Record<string, string>>, exported = false): string[] {
  return Object.entries(variables).map(([name, value]) => `${exported ? "export " : ""}${name}=${shellQuoted(value)}`)
}
