import { fileLimits } from "@sandbox-agent/schema/file-limits"
import type { BytePath } from "./byte-path.ts"
import type { Made } from "./entry-handle.ts"
import type { Fence } from "./fence.ts"
import { FOLDER, type Opened, openIn } from "./opened.ts"

/** Folders below one that is open, kept open because the next entry is mostly in the same. None is reached through a link. */
export class FolderCache {
  readonly #open = new Map<BytePath, Opened>()

  constructor(
    private readonly fence: Fence,
    private readonly root: Opened,
    private readonly made: Made,
  ) {}

  get isFull(): boolean {
    return this.#open.size > fileLimits.openFolders
  }

  /** Made, with those in front of it, if it is missing. */
  folder(names: readonly BytePath[]): Promise<Opened> {
    return this.#get(names, (parent, name) => this.made.inside(parent, name))
  }

  /** Only if it is there. */
  found(names: readonly BytePath[]): Promise<Opened> {
    return this.#get(names, (parent, name) => openIn(this.fence, parent, name, FOLDER))
  }

  async #get(names: readonly BytePath[], open: (parent: Opened, name: BytePath) => Promise<Opened>): Promise<Opened> {
    const last = names.at(-1)
    if (last === undefined) return this.root
    const key = names.join("/")
    const known = this.#open.get(key)
    if (known !== undefined) return known
    const parent = await this.#get(names.slice(0, -1), open)
    const opened = await open(parent, last)
    this.#open.set(key, opened)
    return opened
  }

  /** It is gone, with what was in it. */
  async forget(key: BytePath): Promise<void> {
    for (const [known, folder] of this.#open)
      if (known === key || known.startsWith(`${key}/`)) {
        this.#open.delete(known)
        await folder.close()
      }
  }

  /** When nobody is at work in any of them. */
  async close(): Promise<void> {
    const open = [...this.#open.values()]
    this.#open.clear()
    await Promise.all(open.map((folder) => folder.close()))
  }
}
