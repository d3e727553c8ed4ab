import { randomBytes } from "node:crypto"
import { mkdir, readdir, readlink, rm, symlink, unlink } from "node:fs/promises"
import { join } from "node:path"
import { type BytePath, toBuffer } from "./byte-path.ts"
import { codeOf } from "./system-error.ts"

const PREFIX = ".sandbox-agent-"

/**
 * Files that are not whole yet stand beside their place under a name of ours. Where each is, is noted in the data
 * directory first, so that one that a killed daemon left is removed by the next.
 */
export class Drafts {
  constructor(private readonly directory: string) {}

  /** A name that nobody has. */
  name(): BytePath {
    return `${PREFIX}${randomBytes(8).toString("hex")}`
  }

  /** From here on what is there by this name may be removed. */
  async begin(folder: BytePath, name = this.name()): Promise<Draft> {
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
    for (const name of notes.filter((one) => one.startsWith(PREFIX))) {
      const note = join(this.directory, name)
      const target = await readlink(note, { encoding: "buffer" })
      // The name is random and ours, so it is the draft or nothing; the folder may be gone by now.
      if (target.toString("latin1").endsWith(`/${name}`)) await rm(target, { recursive: true, force: true })
      await unlink(note)
    }
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
