import { choose, clientOf, type KnownDaemon, ownDaemon, remembered } from "./daemons.ts"
import { type Failure, failureOf } from "./failure.ts"

/** The ticket that the page was opened with, taken out of the address before anything else is done. */
export function takeTicket(): string | undefined {
  const ticket = /^#ticket=([\w-]+)$/.exec(location.hash)?.[1]
  if (ticket !== undefined) history.replaceState(null, "", `${location.pathname}${location.search}`)
  return ticket
}

/** Resolves with why it did not work, and with the daemon that was tried. */
export async function signIn(ticket: string | undefined): Promise<{ daemon?: KnownDaemon; failure?: Failure }> {
  const baseUrl = ownDaemon()
  if (ticket !== undefined && baseUrl !== undefined) {
    try {
      const { token } = await clientOf({ baseUrl }).redeemTicket(ticket)
      return await enter({ baseUrl, ...(token !== undefined && { token }) })
    } catch (error) {
      // It was used before, as after a reload: who is known already needs none.
      const known = remembered()
      if (known?.token !== undefined) return enter(known)
      return { daemon: { baseUrl }, failure: failureOf(error, baseUrl) }
    }
  }
  const daemon = remembered()
  return daemon === undefined ? {} : enter(daemon)
}

/** Looks whether this daemon takes us, and stays with it if it does. */
export async function enter(daemon: KnownDaemon): Promise<{ daemon?: KnownDaemon; failure?: Failure }> {
  try {
    await clientOf(daemon).rest.listSessions({ limit: 1, timeoutMs: 10_000 })
    choose(daemon)
    return {}
  } catch (error) {
    return { daemon, failure: failureOf(error, daemon.baseUrl, daemon.token !== undefined) }
  }
}
