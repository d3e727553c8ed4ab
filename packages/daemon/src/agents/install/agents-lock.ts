import { mkdir, readdir, readFile, rename, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { ManagedFolder } from "./managed.ts"
import { holdLock, type LockWait } from "./process-lock.ts"

/** `agents.lock`: what is installed, from where, with which digest; for people, and to set up the same again. */
export async function writeAgentsLock(root: string, wait: LockWait): Promise<void> {
  await mkdir(root, { recursive: true })
  const release = await holdLock(join(root, ".locks", "agents.db"), wait)
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
    if ((await readFile(path, "utf8").catch(() => "")) === text) return
    await writeFile(`${path}.new`, text)
    await rename(`${path}.new`, path)
  } finally {
    release()
  }
}
