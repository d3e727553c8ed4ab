import type { Credential, CredentialKind, CredentialSource, Discovery, Environment, Looked } from "./credential.ts"
import { readTable, type Table } from "./settings-file.ts"

/** Collects what is found for one agent. */
export class Finding {
  readonly credentials: Credential[] = []
  readonly notes: string[] = []
  readonly looked: Looked = { variables: [], files: [] }
  /** The variable that the user's own configuration names. */
  needs: string | undefined
  #other = false
  #unsure: string | undefined

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
    this.looked.variables.push(name)
    this.add(provider, kind, { env: name }, this.env[name], more)
  }

  /** A file that may hold one. */
  table(path: string): Table | undefined {
    this.looked.files.push(path)
    return readTable(path, this.notes)
  }

  /** Nothing found does not mean that there is nothing. */
  unsure(reason: string) {
    this.#unsure ??= reason
  }

  /** Can be used, though we hold no secret of it. */
  otherwise(note: string) {
    this.#other = true
    this.notes.push(note)
  }

  result(): Discovery {
    const { agent, credentials, notes, looked, needs } = this
    const available = credentials.length > 0 || this.#other
    const unsure = available ? undefined : this.#unsure
    return { agent, credentials, looked, notes, available, ...(needs && { needs }), ...(unsure && { unsure }) }
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
