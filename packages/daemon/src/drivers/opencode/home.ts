import { homedir } from "node:os"
import { dirname, join } from "node:path"
import type { Host, OpenFrom } from "../../core/driver.ts"
import { keptHome } from "../shared/native-home.ts"

type Environment = Readonly<Record<string, string | undefined>>

/** Where OpenCode keeps its sessions: by its own environment, else by the daemon's. */
export function dataHome(given: Environment): string {
  const xdg = given.XDG_DATA_HOME || process.env.XDG_DATA_HOME
  return join(xdg || join(given.HOME || process.env.HOME || homedir(), ".local", "share"), "opencode")
}

export const homeOf = (from: OpenFrom, given: Environment, host: Host): string =>
  keptHome(from, host) || dataHome(given)

/** The variable that leads to a home which is not where OpenCode would look. */
export const homeVariables = (home: string, given: Environment): Record<string, string> =>
  dataHome(given) === home ? {} : { XDG_DATA_HOME: dirname(home) }
