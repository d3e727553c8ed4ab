import { readdir, readFile, readlink } from "node:fs/promises"
import { join, sep } from "node:path"
import type { ManagedFolder, ManagedInstall } from "./managed.ts"

/** Keeps the current install, the one before it, and whatever a process still runs from. */
export async function prune(managed: ManagedFolder, previous: ManagedInstall | undefined): Promise<string[]> {
  const current = await managed.current()
  const keep = new Set([current?.folder, previous?.folder])
  // The one before is of another version: of the same version the newer copy replaces it.
  if (previous && previous.version === current?.version) keep.delete(previous.folder)
  const installs = await managed.all()
  const before = installs.find((one) => one.version !== current?.version)
  if (before && !(previous && keep.has(previous.folder))) keep.add(before.folder)
  const removable = installs.filter(({ folder }) => folder !== current?.folder && !keep.has(folder))
  if (removable.length === 0) return []
  const used = await usedPaths()
  const gone: string[] = []
  for (const { folder } of removable) {
    const inside = join(managed.directory, folder) + sep
    if (used.some((path) => path.includes(inside))) continue
    await managed.remove(folder)
    gone.push(folder)
  }
  return gone
}

/** Programs and arguments of all processes we may look at. */
async function usedPaths(): Promise<string[]> {
  const pids = (await readdir("/proc").catch((): string[] => [])).filter((name) => /^\d+$/.test(name))
  if (pids.length === 0) return [Bun.spawnSync(["ps", "axww", "-o", "command="]).stdout.toString()]
  const paths = await Promise.all(
    pids.map(async (pid) => [
      await readlink(`/proc/${pid}/exe`).catch(() => ""),
      await readFile(`/proc/${pid}/cmdline`, "latin1").catch(() => ""),
    ]),
  )
  return paths.flat()
}
