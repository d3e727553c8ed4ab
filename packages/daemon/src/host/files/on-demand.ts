import { existsSync } from "node:fs"
import { join } from "node:path"
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
}

/** The files of this machine; nothing of them is loaded before somebody asks. */
export class FilesOnDemand {
  #files: Promise<Files> | undefined
  readonly #drafts: string

  constructor(private readonly settings: FilesSettings) {
    this.#drafts = join(settings.dataDirectory, "drafts")
  }

  get(): Promise<Files> {
    this.#files ??= this.#make()
    return this.#files
  }

  async #make(): Promise<Files> {
    const { roots, dataDirectory, attachments, directory, owner } = this.settings
    const [{ Files }, { Fence }] = await Promise.all([import("./files.ts"), import("./fence.ts")])
    const real = await Confinement.of(roots, [dataDirectory], [attachments])
    const fence = Fence.ofTexts(real.roots, real.never, real.except)
    return new Files({ fence, owner, directory, drafts: this.#drafts })
  }

  /** Removes files that were being written when the daemon before this one was killed. */
  async clear(log: (level: "warn", message: string, fields: Record<string, unknown>) => void): Promise<void> {
    if (!existsSync(this.#drafts)) return
    const { Drafts } = await import("./drafts.ts")
    await new Drafts(this.#drafts)
      .clear()
      .catch((error) => log("warn", "half-written files could not be removed", { error: String(error) }))
  }
}
