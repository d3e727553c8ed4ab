import { constants } from "node:fs"
import { access, open, realpath, stat } from "node:fs/promises"
import { delimiter, isAbsolute, join } from "node:path"

/** The first program of this name on PATH. Relative folders are passed over: a session's directory is no place to run from. */
export async function onPath(binary: string, path: string): Promise<string | undefined> {
  for (const folder of path.split(delimiter)) {
    if (!isAbsolute(folder)) continue
    const candidate = join(folder, binary)
    if (await isExecutable(candidate)) return candidate
  }
  return undefined
}

export async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}

/** Changes whenever the program behind a path does. */
export async function identityOf(path: string): Promise<string> {
  const real = await realpath(path)
  const { size, mtimeMs, ino } = await stat(real)
  return `${real}:${size}:${mtimeMs}:${ino}`
}

/** A script for Node, which our own executable can run where there is no Node. */
export async function isNodeScript(path: string): Promise<boolean> {
  const file = await open(path, "r").catch(() => undefined)
  if (!file) return false
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(128), 0, 128, 0)
    return /^#!.*\bnode\b/.test(buffer.toString("latin1", 0, bytesRead).split("\n")[0] ?? "")
  } finally {
    await file.close()
  }
}
