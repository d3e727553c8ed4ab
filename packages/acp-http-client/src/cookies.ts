import { maxCookieChars, maxCookies } from "./limits.ts"

/**
 * Keeps the cookies of the one server a client speaks to: balancers find the right machine by them. In browsers neither header can be
 * seen or set, so this does nothing there and the browser does it.
 */
export class Cookies {
  readonly #kept = new Map<string, string>()

  apply(headers: Headers): void {
    if (this.#kept.size === 0 || headers.has("cookie")) return
    headers.set("cookie", [...this.#kept].map(([name, value]) => `${name}=${value}`).join("; "))
  }

  keep(headers: Headers): void {
    for (const line of headers.getSetCookie?.() ?? []) {
      const [pair = "", ...attributes] = line.split(";")
      const equals = pair.indexOf("=")
      if (equals < 1 || pair.length > maxCookieChars) continue
      const name = pair.slice(0, equals).trim()
      this.#kept.delete(name)
      if (attributes.some(ended)) continue
      if (this.#kept.size < maxCookies) this.#kept.set(name, pair.slice(equals + 1).trim())
    }
  }
}

function ended(attribute: string): boolean {
  const [name = "", value = ""] = attribute.split("=", 2).map((part) => part.trim().toLowerCase())
  if (name === "max-age") return Number(value) <= 0
  return name === "expires" && Date.parse(value) <= Date.now()
}
