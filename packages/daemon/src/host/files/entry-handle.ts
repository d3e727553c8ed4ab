import { constants } from "node:fs"
import { lstat, mkdir, open, readlink, rmdir } from "node:fs/promises"
import { posix } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { type BytePath, ofBuffer, toText } from "./byte-path.ts"
import type { Fence } from "./fence.ts"
import { FOLDER, type Opened, openIn, openNearest, openPath } from "./opened.ts"
import { codeOf, on, systemError } from "./system-error.ts"

/** Links from one name to the next, as many as the system itself follows. */
const LINKS = 40

/** Whom what is made belongs to, where that is not the daemon's user. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** A name in a folder that is open. There need not be anything by that name. */
export class EntryHandle implements AsyncDisposable {
  constructor(
    readonly folder: Opened,
    readonly name: BytePath,
  ) {}

  get there(): Buffer {
    return this.folder.at(this.name)
  }

  get path(): BytePath {
    return this.folder.pathOf(this.name)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.folder.close()
  }
}

/** The entry itself: a link by this name is not followed. */
export async function entryHandleOf(fence: Fence, path: BytePath): Promise<EntryHandle> {
  const folder = await openPath(fence, posix.dirname(path), FOLDER, path)
  const entry = new EntryHandle(folder, posix.basename(path) || ".")
  try {
    // A root is inside the fence, and the folder it is in need not be.
    fence.assert(entry.path, path)
    return entry
  } catch (error) {
    await folder.close()
    throw error
  }
}

/** Where a path leads to in the end, also where nothing is there yet: what is written through a link goes to its target. */
export async function followLinks(fence: Fence, path: BytePath, links = LINKS): Promise<EntryHandle> {
  const entry = await entryHandleOf(fence, path)
  let target: BytePath
  try {
    target = ofBuffer(await readlink(entry.there, { encoding: "buffer" }))
  } catch (error) {
    const code = codeOf(error)
    if (code === "EINVAL" || code === "ENOENT") return entry
    await entry.folder.close()
    throw systemError(path, error)
  }
  await entry.folder.close()
  if (links === 0)
    throw new SandboxAgentError("invalid_request", `${toText(path)} leads through too many symbolic links`)
  return followLinks(fence, posix.resolve(entry.folder.path, target), links - 1)
}

/** Folders that were made on the way to something; taken back when that fails. */
export class Made {
  readonly #paths: BytePath[] = []

  constructor(
    readonly fence: Fence,
    readonly owner: Owner | undefined,
  ) {}

  get count(): number {
    return this.#paths.length
  }

  /** The folder and those in front of it, as far as they are missing. */
  async folder(path: BytePath, mode?: number): Promise<Opened> {
    const missing: BytePath[] = []
    let folder: Opened | undefined
    for (let at = path; ; at = posix.dirname(at)) {
      folder = await openNearest(this.fence, at, path)
      if (folder !== undefined) break
      missing.push(posix.basename(at))
      if (missing.length > fileLimits.newFolders) throw await tooManyNew(this.fence, path)
    }
    for (let name = missing.pop(); name !== undefined; name = missing.pop()) {
      await using parent: Opened = folder
      folder = await this.inside(parent, name, missing.length === 0 ? mode : undefined)
    }
    return folder
  }

  /** Makes a folder, unless there is one. */
  async inside(parent: Opened, name: BytePath, mode?: number): Promise<Opened> {
    const path = parent.pathOf(name)
    this.fence.assert(path, path)
    const isNew = await mkdir(parent.at(name), 0o777).then(
      () => true,
      (error: unknown) => (codeOf(error) === "EEXIST" ? false : on(path, Promise.reject(error))),
    )
    if (isNew) this.#paths.push(path)
    const folder = await openIn(this.fence, parent, name, FOLDER).catch((error: unknown) => {
      if (!SandboxAgentError.is(error) || error.code !== "not_found") throw error
      throw new SandboxAgentError("conflict", `${toText(path)} is there and no folder`)
    })
    if (isNew) await on(path, setOwner(folder, this.owner, mode)).catch((error) => closing(folder, error))
    return folder
  }

  /** What is not empty any more is somebody's by now. */
  async undo(): Promise<void> {
    for (const path of this.#paths.reverse()) {
      const found = await entryHandleOf(this.fence, path).catch((error: unknown) => {
        if (SandboxAgentError.is(error) && error.code === "not_found") return undefined
        throw error
      })
      // Somebody removed it, or moved what it is in.
      if (found === undefined) continue
      await using entry = found
      const code = await rmdir(entry.there).then(() => undefined, codeOf)
      if (code === "ENOTEMPTY" || code === "EEXIST") return
    }
  }
}

async function tooManyNew(fence: Fence, path: BytePath): Promise<SandboxAgentError> {
  await fence.assertMissing(path)
  return new SandboxAgentError(
    "invalid_request",
    `path: more than ${fileLimits.newFolders} folders would have to be made for it`,
    { limit: fileLimits.newFolders },
  )
}

async function closing(folder: Opened, error: unknown): Promise<never> {
  await folder.close()
  throw error
}

/** A folder that we made. `open` for looking takes no changes, so it is opened again by itself. */
async function setOwner(folder: Opened, owner: Owner | undefined, mode: number | undefined): Promise<void> {
  if (owner === undefined && mode === undefined) return
  const handle = await open(folder.self, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    if (owner !== undefined) await handle.chown(owner.uid, owner.gid)
    if (mode !== undefined) await handle.chmod(mode)
  } finally {
    await handle.close()
  }
}

/** What the entry is, links not followed; `undefined`: nothing. */
export async function statEntry(entry: EntryHandle) {
  return lstat(entry.there, { bigint: true }).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return undefined
    return on(entry.path, Promise.reject(error))
  })
}
