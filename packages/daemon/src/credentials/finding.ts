import type { Credential, CredentialKind, CredentialSource, Discovery, Environment } from "./credential.ts"

/** Collects what is found for one agent. */
export class Finding {
  readonly credentials: Credential[] = []
  readonly notes: string[] = []
  #other = false

  constructor(
    readonly agent: string,
    readonly env: Environment,
  ) {}

  add(
    provider: string,
    kind: CredentialKind,
    source: CredentialSource,
    value: unknown,
    more: Partial<Credential> = {},
  ) {
    const secret = typeof value === "string" ? value.trim() : ""
    // A placeholder left empty is no credential.
    if (secret) this.credentials.push({ agent: this.agent, provider, kind, source, value: secret, ...more })
  }

  variable(provider: string, kind: CredentialKind, name: string, more: Partial<Credential> = {}) {
    this.add(provider, kind, { env: name }, this.env[name], more)
  }

  /** Can be used, though we hold no secret of it. */
  otherwise(note: string) {
    this.#other = true
    this.notes.push(note)
  }

  result(): Discovery {
    const { agent, credentials, notes } = this
    return { agent, credentials, notes, available: credentials.length > 0 || this.#other }
  }
}

/** A time in milliseconds, seconds or as text. */
export function timeOf(value: unknown): string | undefined {
  const ms = typeof value === "number" ? (value < 1e11 ? value * 1000 : value) : Date.parse(String(value))
  const date = new Date(ms)
  return value === undefined || value === null || Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

/** The end of a token that says so itself. Not verified: only to tell the user. */
export function jwtExpiry(token: unknown): string | undefined {
  if (typeof token !== "string") return undefined
  try {
    const body = JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString("utf8")) as { exp?: unknown }
    return typeof body.exp === "number" ? timeOf(body.exp) : undefined
  } catch {
    return undefined
  }
}
