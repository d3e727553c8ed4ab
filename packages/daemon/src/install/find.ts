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
export const isNodeScript = async (path: string): Promise<boolean> => /\bnode\b/.test(await interpreterOf(path))

export const isScript = async (path: string): Promise<boolean> => (await interpreterOf(path)) !== ""

/** The first line of a script, which names what runs it; nothing of another program. */
async function interpreterOf(path: string): Promise<string> {
  const file = await open(path, "r").catch(() => undefined)
  if (!file) return ""
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(128), 0, 128, 0)
    return /^#!.*/.exec(buffer.toString("latin1", 0, bytesRead))?.[0] ?? ""
  } finally {
    await file.close()
  }
}
