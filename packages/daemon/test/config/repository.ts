import { execFileSync } from "node:child_process"
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { folder } from "./client.ts"

/** As nobody in particular, whatever is configured on this machine. */
const env = {
  ...process.env,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_SYSTEM: "/dev/null",
  ...{ GIT_AUTHOR_NAME: "t", GIT_AUTHOR_EMAIL: "t@t", GIT_COMMITTER_NAME: "t", GIT_COMMITTER_EMAIL: "t@t" },
}

export const git = (at: string, ...words: string[]): string =>
  execFileSync("git", ["-C", at, ...words], { env, stdio: ["ignore", "pipe", "ignore"] })
    .toString()
    .trim()

/** A real repository with these files. */
export function repository(files: Readonly<Record<string, string>>, at = folder("repository")): string {
  mkdirSync(at, { recursive: true })
  git(at, "init", "-q", "-b", "main")
  commit(at, files)
  return at
}

export function commit(at: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(at, name)), { recursive: true })
    writeFileSync(join(at, name), text, { mode: text.startsWith("#!") ? 0o755 : 0o644 })
  }
  git(at, "add", "-A")
  git(at, "commit", "-q", "-m", "change")
}
