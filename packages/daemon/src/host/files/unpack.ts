import { constants } from "node:fs"
import { chmod, type FileHandle, lchown, link, open, rename, rmdir, symlink, unlink, utimes } from "node:fs/promises"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { assertPlaceable, namesOf } from "./archive-names.ts"
import { type BytePath, byBytes, toBuffer, toText } from "./byte-path.ts"
import { ByteSource, cutOff } from "./byte-source.ts"
import { decompressed } from "./compression.ts"
import { copyInto } from "./copy.ts"
import { deleteFolder } from "./delete.ts"
import { EntryHandle, type Made } from "./entry-handle.ts"
import type { Files } from "./files.ts"
import { FolderCache } from "./folder-cache.ts"
import type { Opened } from "./opened.ts"
import { assertStill, atPlaces, placeOfFolder } from "./place.ts"
import { Skipped } from "./skipped.ts"
import { codeOf, on } from "./system-error.ts"
import { type TarEntry, tarEntries } from "./tar-reader.ts"

export interface Unpacked {
  files: number
  directories: number
  links: number
  bytes: number
  /** The first of what was made. */
  paths: string[]
  truncated: boolean
  skipped: Skipped
}

const NEW = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
/** Nobody gets the rights of another by an archive. */
const MODES = 0o1777

/** Unpacks an archive into a folder as it comes. Each file appears when it is whole; nothing lands outside the folder. */
export async function unpack(files: Files, path: BytePath, archive: AsyncIterable<Uint8Array>): Promise<Unpacked> {
  const made = files.made()
  const source = new ByteSource(decompressed(archive))
  try {
    const places = async () => [await placeOfFolder(files.fence, path)]
    await using target = await atPlaces(files, places, () => made.folder(path))
    const draft = await files.drafts.begin(target.path)
    try {
      await using staging = await files.made().inside(target, draft.name, 0o700)
      const unpacking = new Unpacking(files, target, staging, made)
      try {
        for await (const entry of tarEntries(source)) await unpacking.take(entry, source)
        // What follows the end is filled up with nothing; a client that sends it is heard out.
        while ((await source.some(fileLimits.chunkBytes)).length > 0);
        return await unpacking.finish()
      } finally {
        await unpacking.close()
      }
    } finally {
      await deleteFolder(files.fence, target, draft.name)
      await draft.end()
    }
  } catch (error) {
    await made.undo()
    throw error
  } finally {
    await source.close()
  }
}

class Unpacking {
  readonly #done: Unpacked = {
    files: 0,
    directories: 0,
    links: 0,
    bytes: 0,
    paths: [],
    truncated: false,
    skipped: new Skipped(),
  }
  readonly #folders: FolderCache
  /** Modes and times of folders come last: what is put into them would change them. */
  readonly #later = new Map<BytePath, { names: BytePath[]; mode: number; mtime: number }>()
  readonly #atWork = new Map<BytePath, Promise<void>>()
  readonly #umask = process.umask()
  #failed: unknown
  #entries = 0
  #staged = 0
  #sparse = 0

  constructor(
    private readonly files: Files,
    private readonly target: Opened,
    private readonly staging: Opened,
    private readonly made: Made,
  ) {
    this.#folders = new FolderCache(files.fence, target, made)
  }

  async take(entry: TarEntry, source: ByteSource): Promise<void> {
    if (++this.#entries > fileLimits.archiveEntries) throw tooMany("entries")
    if (this.made.count > fileLimits.archiveEntries) throw tooMany("folders")
    assertPlaceable(entry, this.target)
    const names = namesOf(entry.path)
    if (typeof names === "string") return this.#done.skipped.add(entry.path, names)
    if (names.length === 0) return
    const key = names.join("/")
    if (this.#isInTheWay(key) || this.#folders.isFull || entry.type === "link") await this.#rest()
    if (this.#folders.isFull) await this.#folders.close()
    await this.#orSkipped(entry, () => this.#make(entry, names, key, source))
  }

  /** Entries take their places in the order that the archive has them, where they meet. */
  #isInTheWay(key: BytePath): boolean {
    for (const other of this.#atWork.keys())
      if (other === key || other.startsWith(`${key}/`) || key.startsWith(`${other}/`)) return true
    return false
  }

  async #make(entry: TarEntry, names: BytePath[], key: BytePath, source: ByteSource): Promise<void> {
    if (entry.type === "other")
      return this.#done.skipped.add(entry.path, "is a device, a pipe or of a kind that is not unpacked")
    if (entry.type === "directory") {
      await this.files.locks.hold([{ path: this.target.pathOf(key) }], () => this.#folder(names))
      this.#later.set(key, { names, mode: entry.mode, mtime: entry.mtime })
      return this.#count("directories", key)
    }
    const folder = await this.#folders.folder(names.slice(0, -1))
    const name = names.at(-1) ?? ""
    if (entry.type === "symlink") return this.#symlink(entry, folder, name, key)
    if (entry.type === "link") return this.#link(entry, folder, name, key)
    if (entry.size > fileLimits.smallFileBytes || entry.sparse !== undefined) {
      this.#countHoles(entry)
      const write = (handle: FileHandle) => writeEntry(handle, entry, source)
      return this.#file(entry, folder, name, key, write)
    }
    const bytes = entry.size === 0 ? new Uint8Array(0) : (await source.exactly(entry.size))?.slice()
    if (bytes === undefined) throw cutOff()
    const write = async (handle: FileHandle) => {
      for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at, bytes.length - at, at)).bytesWritten
    }
    while (this.#atWork.size >= fileLimits.smallFilesAtOnce) await Promise.race(this.#atWork.values())
    const work = this.#orSkipped(entry, () => this.#file(entry, folder, name, key, write))
      .catch((error: unknown) => {
        this.#failed ??= error
      })
      .finally(() => this.#atWork.delete(key))
    this.#atWork.set(key, work)
    if (this.#failed !== undefined) throw this.#failed
  }

  /** A failure of one entry is reported; one that every entry would have ends it all. */
  async #orSkipped(entry: TarEntry, work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      const isExpected =
        SandboxAgentError.is(error) && ["conflict", "permission_denied", "not_found"].includes(error.code)
      const name =
        SandboxAgentError.is(error) && error.code === "invalid_request" && /too long a name/.test(error.detail)
      if (!SandboxAgentError.is(error) || !(isExpected || name)) throw error
      // Of one that is gone every entry would be left out.
      await assertStill(this.target, this.target.path)
      this.#done.skipped.add(entry.path, error.detail)
    }
  }

  /** What is there and no folder makes room for one, as `tar` has it. */
  async #folder(names: BytePath[]): Promise<void> {
    try {
      await this.#folders.folder(names)
    } catch (error) {
      if (!SandboxAgentError.is(error) || error.code !== "conflict") throw error
      const parent = await this.#folders.folder(names.slice(0, -1))
      const name = names.at(-1) ?? ""
      await on(parent.pathOf(name), unlink(parent.at(name)))
      await this.#folders.folder(names)
    }
  }

  async #file(
    entry: TarEntry,
    folder: Opened,
    name: BytePath,
    key: BytePath,
    write: (handle: FileHandle) => Promise<void>,
  ): Promise<void> {
    const path = folder.pathOf(name)
    const staged = String(this.#staged++)
    const mode = entry.mode & MODES
    const handle = await on(path, open(this.staging.at(staged), NEW, mode))
    try {
      await on(path, write(handle))
      const { owner } = this.files
      if (owner !== undefined) await on(path, handle.chown(owner.uid, owner.gid))
      if ((mode & this.#umask) !== 0 || mode > 0o777) await on(path, handle.chmod(mode))
      await on(path, handle.utimes(entry.mtime, entry.mtime))
    } finally {
      await handle.close()
    }
    await this.#place(staged, folder, name, key)
    this.#done.bytes += entry.sparse?.realSize ?? entry.size
    this.#count("files", key)
  }

  async #symlink({ path, target }: TarEntry, folder: Opened, name: BytePath, key: BytePath): Promise<void> {
    if (target === "" || target.includes("\0")) return this.#done.skipped.add(path, "is a link to nothing")
    const staged = String(this.#staged++)
    await on(folder.pathOf(name), symlink(toBuffer(target), this.staging.at(staged)))
    const { owner } = this.files
    if (owner !== undefined) await on(folder.pathOf(name), lchown(this.staging.at(staged), owner.uid, owner.gid))
    await this.#place(staged, folder, name, key)
    this.#count("links", key)
  }

  /** A second name of a file in the same folder of ours, never of one elsewhere. */
  async #link({ path, target }: TarEntry, folder: Opened, name: BytePath, key: BytePath): Promise<void> {
    const names = namesOf(target)
    if (typeof names === "string" || names.length === 0)
      return this.#done.skipped.add(
        path,
        `is a link to ${toText(target)}, which ${names.length === 0 ? "is a folder" : String(names)}`,
      )
    const other = await this.#folders.found(names.slice(0, -1))
    const staged = String(this.#staged++)
    await on(folder.pathOf(name), link(other.at(names.at(-1) ?? ""), this.staging.at(staged)))
    await this.#place(staged, folder, name, key)
    this.#count("links", key)
  }

  async #place(staged: BytePath, folder: Opened, name: BytePath, key: BytePath): Promise<void> {
    const path = folder.pathOf(name)
    await this.files.locks.hold([{ path }], () => this.#placeNow(staged, folder, name, key))
    this.#later.delete(key)
  }

  async #placeNow(staged: BytePath, folder: Opened, name: BytePath, key: BytePath): Promise<void> {
    const path = folder.pathOf(name)
    const there = folder.at(name)
    await assertStill(folder, path)
    await rename(this.staging.at(staged), there).catch(async (error: unknown) => {
      const code = codeOf(error)
      if (code === "EXDEV") return this.#placeAcross(staged, folder, name)
      if (code !== "EISDIR") return on(path, Promise.reject(error))
      // An empty folder makes room, as with `tar`; what is in one is nobody's to lose.
      this.files.fence.assertMovable(path, path)
      await on(path, rmdir(there))
      await this.#folders.forget(key)
      await on(path, rename(this.staging.at(staged), there))
    })
  }

  /** Another file system is mounted below. */
  async #placeAcross(staged: BytePath, folder: Opened, name: BytePath): Promise<void> {
    const [from, to] = [new EntryHandle(this.staging, staged), new EntryHandle(folder, name)]
    await copyInto(this.files, from, to, { recursive: false, special: "refuse" })
  }

  #countHoles({ path, sparse }: TarEntry): void {
    this.#sparse += sparse?.realSize ?? 0
    if (this.#sparse <= fileLimits.sparseBytes) return
    throw new SandboxAgentError(
      "payload_too_large",
      `the files with holes of this archive are longer than ${fileLimits.sparseBytes} bytes, with ${toText(path)}`,
      { limit: fileLimits.sparseBytes },
    )
  }

  #count(kind: "files" | "directories" | "links", key: BytePath): void {
    this.#done[kind]++
    if (this.#done.paths.length < fileLimits.archiveNamed) this.#done.paths.push(toText(this.target.pathOf(key)))
    else this.#done.truncated = true
  }

  async #rest(): Promise<void> {
    await Promise.all(this.#atWork.values())
    if (this.#failed !== undefined) throw this.#failed
  }

  async finish(): Promise<Unpacked> {
    await this.#rest()
    // What is inside first: the mode of a folder may close it to us.
    const later = [...this.#later].sort(([a], [b]) => byBytes(b, a))
    for (const [, { names, mode, mtime }] of later) {
      if (this.#folders.isFull) await this.#folders.close()
      const folder = await this.#folders.found(names)
      await on(folder.path, chmod(folder.self, mode & MODES))
      await on(folder.path, utimes(folder.self, mtime, mtime))
    }
    return this.#done
  }

  async close(): Promise<void> {
    await Promise.all(this.#atWork.values())
    await this.#folders.close()
  }
}

const tooMany = (what: string) =>
  new SandboxAgentError("payload_too_large", `the archive has more than ${fileLimits.archiveEntries} ${what}`, {
    limit: fileLimits.archiveEntries,
  })

async function writeEntry(handle: FileHandle, { size, sparse }: TarEntry, source: ByteSource): Promise<void> {
  for (const { offset, length } of sparse?.pieces ?? [{ offset: 0, length: size }]) {
    let at = offset
    for await (const piece of source.pieces(length))
      for (let from = 0; from < piece.length; ) {
        const { bytesWritten } = await handle.write(piece, from, piece.length - from, at)
        from += bytesWritten
        at += bytesWritten
      }
  }
  if (sparse !== undefined) await handle.truncate(sparse.realSize)
}
