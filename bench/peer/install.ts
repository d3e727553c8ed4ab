import { chmod, mkdir } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"

const version = "0.4.2"

/** Fetches the peer with npm into the cache of the user, once, and gives its executable. */
export async function installPeer(): Promise<string> {
  const directory = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "sandbox-agent", "peer", version)
  const platform = `@sandbox-agent/cli-${process.platform}-${process.arch}`
  const executable = join(directory, "node_modules", platform, "bin", "sandbox-agent")
  if (!(await Bun.file(executable).exists())) {
    await mkdir(directory, { recursive: true })
    const npm = ["npm", "install", "--prefix", directory, "--ignore-scripts", "--no-audit", "--no-fund"]
    const installed = Bun.spawnSync([...npm, `${platform}@${version}`], { stderr: "pipe" })
    if (installed.exitCode !== 0) throw new Error(`the peer cannot be fetched: ${installed.stderr.toString()}`)
    // Its own script would do this, and scripts of packages are not run here.
    await chmod(executable, 0o755)
  }
  return executable
}

/** Its TypeScript client, by itself; the folder of packages. */
export async function installPeerClient(): Promise<string> {
  const directory = join(
    process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"),
    "sandbox-agent",
    "peer",
    `${version}-client`,
  )
  const modules = join(directory, "node_modules")
  if (!(await Bun.file(join(modules, "sandbox-agent/package.json")).exists())) {
    await mkdir(directory, { recursive: true })
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--omit=optional"]
    const npm = ["npm", "install", "--prefix", directory, ...flags, `sandbox-agent@${version}`]
    const installed = Bun.spawnSync(npm, { stderr: "pipe" })
    if (installed.exitCode !== 0) throw new Error(`the peer's client cannot be fetched: ${installed.stderr.toString()}`)
  }
  return modules
}
