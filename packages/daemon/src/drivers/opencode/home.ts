import { homedir } from "node:os"
import { dirname, join } from "node:path"
import type { Host, OpenFrom } from "../../core/driver.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** Where OpenCode keeps its sessions: what it is told, else what the daemon was told. */
export function dataHome(given: Environment): string {
  const xdg = given.XDG_DATA_HOME || process.env.XDG_DATA_HOME
  return join(xdg || join(given.HOME || process.env.HOME || homedir(), ".local", "share"), "opencode")
}

/** A session is found only in the home it was made in. */
export function homeOf(from: OpenFrom, given: Environment, host: Host): string {
  const known = from.kind === "new" || from.ref.home === host.home ? undefined : from.ref.home
  return known || dataHome(given)
}

/** The variable that leads to a home which is not where OpenCode would look. */
export const homeVariables = (home: string, given: Environment): Record<string, string> =>
  dataHome(given) === home ? {} : { XDG_DATA_HOME: dirname(home) }
