import { isAbsolute, join } from "node:path"
import type { Machine } from "./credential.ts"

/** A folder a variable may move, else its place in the home. */
export function folderOf({ env, home }: Machine, variable: string, ...fallback: string[]): string {
  return env[variable] || join(home, ...fallback)
}

/** As the XDG standard has it: a relative value counts as unset. */
export function xdgFolder({ env, home }: Machine, variable: "XDG_DATA_HOME" | "XDG_CONFIG_HOME"): string {
  const value = env[variable]
  if (value && isAbsolute(value)) return value
  return join(home, ...(variable === "XDG_DATA_HOME" ? [".local", "share"] : [".config"]))
}
