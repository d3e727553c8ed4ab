import { constants } from "node:fs"
import { type FileHandle, open, readlink, realpath, stat } from "node:fs/promises"
import { posix } from "node:path"
import { type BytePath, ofBuffer, toBuffer } from "./byte-path.ts"
import type { Fence } from "./fence.ts"
import { codeOf, systemError } from "./system-error.ts"

const linux = process.platform === "linux"
/** Opens the thing itself for looking at it and as a place: nothing is read, and no pipe or device notices. */
const LOOK = linux ? 0x200000 : constants.O_RDONLY | constants.O_NONBLOCK

/** Something that is open, and where it really is. Every one has to be closed. */
export class Opened implements AsyncDisposable {
  #closed: Promise<void> | undefined

  constructor(
    readonly handle: FileHandle,
    readonly path: BytePath,
  ) {}

  /** The thing again by its open file: whoever changes names meanwhile changes nothing here. */
  get self(): Buffer {
    return linux ? Buffer.from(`/proc/self/fd/${this.handle.fd}`) : toBuffer(this.path)
  }

  /** A name inside this folder. */
  at(name: BytePath): Buffer {
    return linux ? toBuffer(`/proc/self/fd/${this.handle.fd}/${name}`) : toBuffer(posix.join(this.path, name))
  }

  pathOf(name: BytePath): BytePath {
    return posix.join(this.path, name)
  }

  /** Whether it is where it was when it was opened; where that cannot be told it is not. */
  async isStill(): Promise<boolean> {
    return (await realOf(this.handle, toBuffer(this.path)).catch(() => undefined)) === this.path
  }

  close(): Promise<void> {
    this.#closed ??= this.handle.close()
    return this.#closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

async function realOf(handle: FileHandle, named: Buffer): Promise<BytePath> {
  if (linux) return ofBuffer(await readlink(`/proc/self/fd/${handle.fd}`, { encoding: "buffer" }))
  const path = await realpath(named, { encoding: "buffer" })
  const [opened, found] = [await handle.stat(), await stat(path)]
  if (opened.ino !== found.ino || opened.dev !== found.dev) throw new Error("the file changed while it was opened")
  return ofBuffer(path)
}

/**
 * Opens what a path leads to, links followed, and judges where that is: what was opened, not what was named.
 * `as`: what it is called in errors.
 */
export async function openPath(fence: Fence, path: BytePath, flags = 0, as = path): Promise<Opened> {
  const handle = await open(toBuffer(path), LOOK | flags).catch(async (error: unknown) => {
    const code = codeOf(error)
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EACCES" || code === "ELOOP")
      await fence.assertMissing(path)
    throw systemError(as, error)
  })
  return judged(fence, handle, toBuffer(path), as)
}

/** A folder on the way to `named`; `undefined`: it is missing, and whether the client may look there is not known yet. */
export async function openNearest(fence: Fence, path: BytePath, named: BytePath): Promise<Opened | undefined> {
  const handle = await open(toBuffer(path), LOOK | FOLDER).catch(async (error: unknown) => {
    const code = codeOf(error)
    if ((code === "ENOENT" || code === "ENOTDIR") && path !== "/") return undefined
    if (code === "EACCES" || code === "ELOOP") await fence.assertMissing(path)
    throw systemError(named, error)
  })
  return handle && judged(fence, handle, toBuffer(path), named)
}

/** Opens a name in an open folder; a link by that name is not followed. */
export async function openIn(fence: Fence, folder: Opened, name: BytePath, flags = 0): Promise<Opened> {
  const there = folder.at(name)
  const handle = await open(there, LOOK | constants.O_NOFOLLOW | flags).catch((error: unknown) => {
    throw systemError(folder.pathOf(name), error)
  })
  return judged(fence, handle, there, folder.pathOf(name))
}

async function judged(fence: Fence, handle: FileHandle, there: Buffer, named: BytePath): Promise<Opened> {
  try {
    const path = await realOf(handle, there)
    fence.assert(path, named)
    return new Opened(handle, path)
  } catch (error) {
    await handle.close()
    throw systemError(named, error)
  }
}

export const FOLDER = constants.O_DIRECTORY
