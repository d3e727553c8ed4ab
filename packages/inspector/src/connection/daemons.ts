import { SandboxAgentClient } from "sandbox-agent"
import { loggedFetch } from "../hood/http-log.ts"
import { kept, Store } from "../store.ts"
import { failed } from "../ui/notices.tsx"

/** A daemon that this browser knows. Its token is kept here alone, and goes nowhere but to it. */
export interface KnownDaemon {
  baseUrl: string
  token?: string
}

export const daemons = kept<readonly KnownDaemon[]>("daemons", [])
/** The one that is looked at; each tab has its own. */
export const chosen = new Store<KnownDaemon | undefined>(undefined)

/** Where this page came from, when a daemon serves it. */
export const ownDaemon = (): string | undefined => {
  const { origin, pathname } = location
  return /^https?:/.test(origin) && pathname.includes("/ui/") ? origin : undefined
}

export function clientOf({ baseUrl, token }: KnownDaemon): SandboxAgentClient {
  return new SandboxAgentClient({
    baseUrl,
    autoConnect: false,
    fetch: loggedFetch,
    onError: failed,
    // Whoever leaves a page open wants it to come back, however long the daemon is away.
    limits: { reconnectAttempts: Number.POSITIVE_INFINITY },
    ...(token !== undefined && { token }),
  })
}

export function choose(daemon: KnownDaemon): void {
  const others = daemons.value.filter(({ baseUrl }) => baseUrl !== daemon.baseUrl)
  daemons.set([daemon, ...others].slice(0, 20))
  sessionStorage.setItem("sandbox-agent.daemon", daemon.baseUrl)
  chosen.set(daemon)
}

export function forget(baseUrl: string): void {
  daemons.update((all) => all.filter((one) => one.baseUrl !== baseUrl))
  if (chosen.value?.baseUrl === baseUrl) leave()
}

export function leave(): void {
  sessionStorage.removeItem("sandbox-agent.daemon")
  chosen.set(undefined)
}

/** That of this tab before it was loaded anew, else the one that serves the page, else the last one. */
export function remembered(): KnownDaemon | undefined {
  const last = sessionStorage.getItem("sandbox-agent.daemon")
  const known = (baseUrl: string | null | undefined) => daemons.value.find((one) => one.baseUrl === baseUrl)
  const own = ownDaemon()
  if (own !== undefined) return known(last) ?? known(own) ?? { baseUrl: own }
  return known(last) ?? daemons.value[0]
}
