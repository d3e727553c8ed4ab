import { dirname, join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import type { Confinement } from "../../files/confinement.ts"
import { readRegular } from "../../files/regular-file.ts"
import { isThere } from "./is-there.ts"

/** The directory and those above it, up to the top of its repository; without one the directory alone. */
export async function foldersOf(directory: string): Promise<string[]> {
  const folders = [directory]
  for (let folder = directory; !(await isThere(join(folder, ".git"))); ) {
    const above = dirname(folder)
    if (above === folder) return [directory]
    folder = above
    folders.push(folder)
  }
  return folders
}

/** `undefined`: there is none. `unreadable`: we cannot read it, and the program may be able to. */
export async function projectText(file: string, reach: Confinement): Promise<string | undefined> {
  try {
    return (await readRegular(file, limits.settingsFileBytes, reach)).toString("utf8")
  } catch (error) {
    if (!SandboxAgentError.is(error)) throw error
    return error.code === "not_found" ? undefined : unreadable
  }
}

/** No JSON. */
export const unreadable = "\0"
