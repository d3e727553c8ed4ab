import { join } from "node:path"
import { shellWord } from "@sandbox-agent/schema/shell-word"
import type { Host } from "../../core/driver.ts"
import type { Launcher } from "../shared/launcher.ts"
import { laidOut } from "./laid-out.ts"

/**
 * What runs JavaScript where our executable is the runtime of Pi: a variable makes it that, and Pi takes the variable away
 * from whatever it starts. Extensions that start Pi again find this program in its place. `undefined`: Pi runs by itself.
 */
export function runtimeFile({ command, env }: Launcher, host: Pick<Host, "home" | "asAgent">): string | undefined {
  const [program, ...flags] = command.slice(0, -1)
  if (env.BUN_BE_BUN === undefined || program === undefined) return undefined
  const words = [program, ...flags].map(shellWord).join(" ")
  const script = `#!/bin/sh\nBUN_BE_BUN=1 exec ${words} "$@"\n`
  return join(laidOut("runtime", { bun: script }, 0o700, host), "bun")
}
