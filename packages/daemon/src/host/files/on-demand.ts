import { existsSync } from "node:fs"
import { rmdir } from "node:fs/promises"
import { Confinement } from "../../files/confinement.ts"
import type { Owner } from "./entry-handle.ts"
import type { Files } from "./files.ts"

export interface FilesSettings {
  /** The folders of `--fs-root`. */
  roots: readonly string[]
  /** The daemon's own, never served. */
  dataDirectory: string
  /** Served although it is in there. */
  attachments: string
  /** Where a client looks that names nothing. */
  directory: string
  owner: Owner | undefined
  /** Where files that are not whole yet are noted, those of this daemon alone. */
  drafts: string
  /** The same of daemons that are gone. */
  abandoned: readonly string[]
}

/** The files of this machine; nothing of them is loaded before somebody asks. */
export class FilesOnDemand {
  #files: Promise<Files> | undefined

  constructor(private readonly settings: FilesSettings) {}

  get(): Promise<Files> {
    this.#files ??= this.#make()
    return this.#files
  }

  async #make(): Promise<Files> {
    const { roots, dataDirectory, attachments, directory, owner, drafts } = this.settings
    const [{ Files }, { Fence }] = await Promise.all([import("./files.ts"), import("./fence.ts")])
    const real = await Confinement.of(roots, [dataDirectory], [attachments])
    const fence = Fence.ofTexts(real.roots, real.never, real.except)
    return new Files({ fence, owner, directory, drafts })
  }

  /** Removes files that were being written when the daemon before this one was killed. */
  async clear(log: (level: "warn", message: string, fields: Record<string, unknown>) => void): Promise<void> {
    const { drafts, abandoned } = this.settings
    const noted = [drafts, ...abandoned].filter((folder) => existsSync(folder))
    if (noted.length === 0) return
    const { Drafts } = await import("./drafts.ts")
    for (const folder of noted)
      await new Drafts(folder)
        .clear()
        .then(() => (folder === drafts ? undefined : rmdir(folder)))
        .catch((error) => log("warn", "half-written files could not be removed", { error: String(error) }))
  }
}
