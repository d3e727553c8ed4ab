import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const main = join(root, "packages/daemon/src/main.ts")
export const executable = join(root, "dist/sandbox-agent")

/**
 * The words that start the daemon and its command line. `npm test` sets this when it has built the executable, which starts in
 * a third of the time; a test that is run by itself takes the source, so that it never tests what was built before a change.
 */
const built = process.env.TEST_EXECUTABLE === "1"

export function daemonProgram(compiled = built): string[] {
  if (!compiled) return [process.execPath, "--no-env-file", main]
  if (!existsSync(executable)) throw new Error("dist/sandbox-agent is missing: run `npm run build` first")
  return [executable]
}
