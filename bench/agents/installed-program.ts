import { existsSync, mkdirSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { cache } from "@sandbox-agent/test-agents/fetched"

const main = fileURLToPath(new URL("../../packages/daemon/src/main.ts", import.meta.url))
const installed = join(cache, "acp")

export const isInstalled = (id: string, version: string): boolean => existsSync(join(installed, "bin", id, version))

/** Installs an agent as a user would, once per machine, and lets a daemon with this data directory find it. */
export function giveInstalled(id: string, version: string, data: string): void {
  const words = ["install-agent", id, "--version", version, "--data-dir", installed]
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, "--no-env-file", main, ...words], { stdout: "ignore" })
  if (exitCode !== 0) throw new Error(`${id} could not be installed: ${stderr}`)
  mkdirSync(data, { recursive: true, mode: 0o700 })
  symlinkSync(join(installed, "bin"), join(data, "bin"))
}
