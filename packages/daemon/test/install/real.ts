import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { join } from "node:path"
import { bunLauncher } from "../../src/install/launcher.ts"
import { root } from "./test-installer.ts"

/** The package manager's cache of all test runs: the second one downloads nothing. */
export const cacheDirectory = join(
  process.env.XDG_CACHE_HOME || join(homedir(), ".cache"),
  "sandbox-agent-tests",
  "npm",
)

/** Real packages need a registry; who has none says so. */
export const offline = process.env.SANDBOX_AGENT_TEST_OFFLINE === "1"

/** Our own executable, which is the package manager and the runtime of users. */
export const executable = join(root, "dist", "sandbox-agent")

export const compiled = () => {
  if (!existsSync(executable)) throw new Error("dist/sandbox-agent is missing: npm run build")
  return bunLauncher([executable])
}
