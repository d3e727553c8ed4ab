import { appendFileSync, cpSync, readdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import { root } from "../harness/daemon.ts"

/** Makes a repository of two commits that differ as a branch and its base do: hundreds of files more, less, moved and changed. */
export function twoCommits(folder: string): void {
  const git = (...words: string[]) => {
    const env = { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_SYSTEM: "/dev/null" }
    const who = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
    const { exitCode, stderr } = Bun.spawnSync(["git", ...who, ...words], { cwd: folder, env })
    if (exitCode !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`)
  }
  const keep = (message: string) => {
    git("add", "--all")
    git("commit", "--quiet", "--message", message)
  }
  cpSync(join(root, "packages/daemon/src"), join(folder, "src"), { recursive: true })
  git("init", "--quiet")
  keep("base")
  rmSync(join(folder, "src/drivers/codex"), { recursive: true })
  renameSync(join(folder, "src/core"), join(folder, "src/moved"))
  cpSync(join(folder, "src/store"), join(folder, "src/copied/deep"), { recursive: true })
  const changed = readdirSync(join(folder, "src/cli"), { withFileTypes: true }).filter((entry) => entry.isFile())
  for (const { name } of changed) appendFileSync(join(folder, "src/cli", name), "// changed\n")
  keep("branch")
}
