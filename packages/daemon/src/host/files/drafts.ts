import { mkdir, readdir, readlink, rm, symlink, unlink } from "node:fs/promises"
import { join } from "node:path"
import { type BytePath, toBuffer } from "./byte-path.ts"
import { draftName, PREFIX } from "./draft-name.ts"
import { codeOf } from "./system-error.ts"

/**
 * Files that are not whole yet stand beside their place under a name of ours. Where each is, is noted in the data
 * directory first, so that one that a killed daemon left is removed by the next.
 */
export class Drafts {
  constructor(private readonly directory: string) {}

  /** From here on what is there by this name may be removed. */
  async begin(folder: BytePath): Promise<Draft> {
    const name = draftName()
    const note = join(this.directory, name)
    const target = toBuffer(`${folder}/${name}`)
    await symlink(target, note).catch(async (error: unknown) => {
      if (codeOf(error) !== "ENOENT") throw error
      await mkdir(this.directory, { recursive: true, mode: 0o700 })
      await symlink(target, note)
    })
    return new Draft(name, note)
  }

  /** What the daemon before this one left. */
  async clear(): Promise<void> {
    const notes = await readdir(this.directory).catch((error: unknown) => {
      if (codeOf(error) === "ENOENT") return []
      throw error
    })
    const failed: unknown[] = []
    for (const name of notes.filter((one) => one.startsWith(PREFIX)))
      await this.#clearOne(name).catch((error: unknown) => failed.push(error))
    if (failed.length > 0) throw failed[0]
  }

  async #clearOne(name: string): Promise<void> {
    const note = join(this.directory, name)
    const target = await readlink(note, { encoding: "buffer" })
    // The name is random and ours, so it is the draft or nothing; the folder may be gone by now.
    if (target.toString("latin1").endsWith(`/${name}`))
      await rm(target, { recursive: true, force: true }).catch((error: unknown) => {
        if (codeOf(error) !== "ENOTDIR") throw error
      })
    await unlink(note)
  }
}

export class Draft {
  constructor(
    readonly name: BytePath,
    private readonly note: string,
  ) {}

  /** It stands in its place, or is gone. */
  async end(): Promise<void> {
    await unlink(this.note).catch((error: unknown) => {
      if (codeOf(error) !== "ENOENT") throw error
    })
  }
}
