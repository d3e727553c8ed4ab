import { SandboxAgentError } from "../errors.ts"

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** A part of a path. What a URL would resolve away would be another request. */
export function segment(name: string, value: string): string {
  if (typeof value !== "string" || value === "" || value === "." || value === "..")
    throw new SandboxAgentError("argument", `${name}: ${JSON.stringify(value)} names nothing`)
  return encodeURIComponent(value)
}

export function withQuery(path: string, query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.append(name, String(value))
  }
  return search.size === 0 ? path : `${path}?${search}`
}

/** Where the daemon is, without the slash at its end. */
export function baseOf(baseUrl: string | URL): string {
  let url: URL
  try {
    url = new URL(String(baseUrl))
  } catch (cause) {
    throw new SandboxAgentError("argument", `baseUrl: ${JSON.stringify(String(baseUrl))} is no address`, cause)
  }
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new SandboxAgentError("argument", `baseUrl: ${url.protocol}// is neither http nor https`)
  if (url.username !== "" || url.search !== "" || url.hash !== "")
    throw new SandboxAgentError("argument", "baseUrl: an address without credentials, query and fragment is expected")
  return url.href.replace(/\/+$/, "")
}
