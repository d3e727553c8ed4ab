import { rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { shellWord } from "@sandbox-agent/schema/shell-word"
import { launchOf } from "./locate.ts"
import type { ManagedFolder, ManagedInstall } from "./managed.ts"
import type { BunLauncher } from "./npm.ts"

/**
 * A file that starts the current version of an agent whose program needs a runtime, for people: without it they would type
 * our executable, a variable and a path. Written with each activation, since the runtime may have moved. Only for the holder
 * of the lock.
 */
export async function writeLauncher(managed: ManagedFolder, made: ManagedInstall, bun: BunLauncher): Promise<void> {
  if (made.runtime === "native") return await rm(managed.launcher, { force: true })
  const { command, env } = launchOf(join(managed.directory, "current", made.program), made.runtime, bun)
  const variables = Object.entries(env).map(([name, value]) => `${name}=${shellWord(value)}`)
  const words = [...variables, "exec", ...command.map(shellWord)].join(" ")
  const fresh = join(managed.directory, ".launcher")
  await writeFile(fresh, `#!/bin/sh\n${words} "$@"\n`, { mode: 0o755 })
  await rename(fresh, managed.launcher)
}
