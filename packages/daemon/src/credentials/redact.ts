import type { Credential } from "./credential.ts"

/** Enough of a secret to recognise it, too little to use it; of a short one nothing. */
export function redactValue(value: string): string {
  return value.length < 16 ? "…" : `${value.slice(0, 4)}…${value.slice(-4)}`
}

export function redact(credential: Credential): Credential {
  return { ...credential, value: redactValue(credential.value) }
}

/** As people read it: `ANTHROPIC_API_KEY`, or `~/.codex/auth.json (OPENAI_API_KEY)`. */
export function sourceText({ source }: Credential, home?: string): string {
  if ("env" in source) return source.env
  const file = home && source.file.startsWith(`${home}/`) ? `~${source.file.slice(home.length)}` : source.file
  return source.key ? `${file} (${source.key})` : file
}
