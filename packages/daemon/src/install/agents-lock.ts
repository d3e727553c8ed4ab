import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import { Confinement } from "../files/confinement.ts"
import { readIfRegular } from "../files/regular-file.ts"
import { ManagedFolder } from "./managed.ts"
import { holdLock, type LockWait } from "./process-lock.ts"

/** `agents.lock`: what is installed, from where, with which digest; for people, and to set up the same again. */
export async function writeAgentsLock(root: string, wait: LockWait): Promise<void> {
  await mkdir(root, { recursive: true })
  // No id has a dot: each agent's own lock, which may be held, has another name.
  const release = await holdLock(join(root, ".locks", "agents.lock.db"), wait)
  try {
    const agents: Record<string, unknown> = {}
    for (const agent of (await readdir(root)).sort()) {
      const current = await new ManagedFolder(root, agent).current()
      if (!current) continue
      const { version, source, origin, digest, installedAt } = current
      agents[agent] = { agent, version, source, origin, digest, installedAt }
    }
    const text = `${JSON.stringify({ lockfileVersion: 1, agents }, null, 2)}\n`
    const path = join(root, "agents.lock")
    const before = await readIfRegular(path, limits.settingsFileBytes, new Confinement())
    if (before?.toString("utf8") === text) return
    // Made anew: what somebody put there is not written to.
    await rm(`${path}.new`, { recursive: true, force: true })
    await writeFile(`${path}.new`, text, { flag: "wx" })
    await rename(`${path}.new`, path)
  } finally {
    release()
  }
}
