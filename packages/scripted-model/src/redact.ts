import type { IncomingHttpHeaders } from "node:http"

const SECRET = new Set(["authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie"])

/** Recordings end up in logs and snapshots: keys must not. */
export function redactHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const redacted: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) {
    const text = Array.isArray(value) ? value.join(", ") : (value ?? "")
    redacted[name] = SECRET.has(name) ? text.replace(/^(Bearer |Basic )?.*$/is, "$1[redacted]") : text
  }
  return redacted
}
