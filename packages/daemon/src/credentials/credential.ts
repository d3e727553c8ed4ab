export type CredentialKind = "api_key" | "oauth" | "auth_token"

/** Where a secret was found: a variable, or a file and the place in it. */
export type CredentialSource = { env: string } | { file: string; key: string }

export interface Credential {
  agent: string
  /** Whom it opens: `anthropic`, `openai`, `amp`, or a provider by the agent's own name for it. */
  provider: string
  kind: CredentialKind
  source: CredentialSource
  /** The secret itself. Never into a log or an answer without `redact`. */
  value: string
  /** RFC 3339, where the source tells it. */
  expiresAt?: string
  /** The agent does not read this by itself: the driver has to hand it over. */
  ignoredByAgent?: true
}

/** What was found for one agent, in the agent's own order: the first of a provider is the one it uses. */
export interface Discovery {
  agent: string
  credentials: Credential[]
  /** What could not be read or is not understood, and what works without a secret of ours. No secrets in them. */
  notes: string[]
  /** The agent can reach a model: by a credential, or by a way of its own such as a cloud's role. */
  available: boolean
}

export type Environment = Readonly<Record<string, string | undefined>>

/** One look at a machine: its environment and the home of its user. */
export interface Machine {
  env: Environment
  home: string
}
