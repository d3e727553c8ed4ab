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

/** Where credentials were looked for, found or not. */
export interface Looked {
  variables: string[]
  files: string[]
}

/** What was found for one agent, in the agent's own order: the first of a provider is the one it uses. */
export interface Discovery {
  agent: string
  credentials: Credential[]
  looked: Looked
  /** What could not be read or is not understood, and what works without a secret of ours. No secrets in them. */
  notes: string[]
  /** The agent can reach a model: by a credential, or by a way of its own such as a cloud's role. */
  available: boolean
  /** The variable to set, where the user's own configuration names one. */
  needs?: string
  /** Why the agent may be able to all the same, where nothing was found. */
  unsure?: string
}

export type Environment = Readonly<Record<string, string | undefined>>

/** One look at a machine: its environment, the home of its user, and where the agent would work. */
export interface Machine {
  env: Environment
  home: string
  /** Of a session: what is configured there counts for it. */
  directory?: string
  platform?: NodeJS.Platform
}
