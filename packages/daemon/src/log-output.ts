import type { Logger, LogLevel } from "./core/context.ts"

/** A shorter one would take ordinary words out of every line. */
const SHORTEST_SECRET = 6
const order: Record<LogLevel, number> = { debug: 0, info: 1, warn: 2, error: 3 }
const secretNames = /^(token|authorization|api_?key|secret|password|cookie|env|mcp)$/i
const bearer = /(bearer\s+)[^\s"',]+/gi
const keyLike = /\b(sk|sk-ant|ghp|gho|xox[bp]|AKIA)[-_A-Za-z0-9]{12,}/g

export interface LogOptions {
  level: LogLevel
  format: "json" | "pretty"
  /** Replaced wherever they appear. */
  secrets: readonly string[]
  write: (line: string) => void
}

/** Structured lines on stderr, secrets taken out before anything is written. */
export function createLogger(options: LogOptions): Logger {
  const redact = redactor(options.secrets)
  return (level, message, fields) => {
    if (order[level] < order[options.level]) return
    const time = new Date().toISOString()
    const shown = Object.fromEntries(
      Object.entries(fields ?? {}).map(([key, value]) => [key, secretNames.test(key) ? "[redacted]" : value]),
    )
    if (options.format === "json")
      return options.write(`${redact(JSON.stringify({ time, level, message, ...shown }))}\n`)
    const rest = Object.entries(shown).map(
      ([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
    )
    options.write(`${redact([time.slice(11, 23), level.toUpperCase().padEnd(5), message, ...rest].join(" "))}\n`)
  }
}

function redactor(secrets: readonly string[]): (text: string) => string {
  return (text) => {
    let clean = text.replace(bearer, "$1[redacted]").replace(keyLike, "[redacted]")
    for (const secret of secrets) if (secret.length >= SHORTEST_SECRET) clean = clean.replaceAll(secret, "[redacted]")
    return clean
  }
}
