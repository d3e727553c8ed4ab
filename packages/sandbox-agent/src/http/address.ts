import { SandboxAgentError } from "../errors.ts"

export type Query = Readonly<Record<string, string | number | boolean | undefined>>

/** A part of a path. What no address can be made of is nothing, which `checkPath` refuses: calls reject and never throw. */
export function segment(value: string): string {
  // Half of a pair of surrogates has no bytes.
  return typeof value === "string" && !/\p{Surrogate}/u.test(value) ? encodeURIComponent(value) : ""
}

/** What a URL would resolve away would be another request. */
export function checkPath(what: string, path: string): void {
  const parts = path.slice(1).split("/")
  if (parts.some((part) => part === "" || part === "." || part === ".."))
    throw new SandboxAgentError("argument", `${what}: a name that names nothing was given`)
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
