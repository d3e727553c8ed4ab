import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { FileEntry } from "@sandbox-agent/schema/file"
import { type BytePath, byBytes, ofBuffer, toBuffer } from "./byte-path.ts"
import { entryOf } from "./entry.ts"
import type { Fence } from "./fence.ts"
import type { IgnoreRules } from "./ignore-rules.ts"
import { FOLDER, type Opened, openPath } from "./opened.ts"
import { enter, namesIn } from "./tree.ts"

/** Asked of the system at once. */
const AT_ONCE = 64

export interface Listing {
  depth: number
  hidden: boolean
  gitignore: boolean
  limit: number
  cursor?: string | undefined
}

export interface Page {
  entries: FileEntry[]
  /** There is more: the last one given. */
  nextCursor?: string | undefined
}

/** What is in a folder, sorted by name, each folder followed by what is in it. */
export async function listEntries(fence: Fence, path: BytePath, listing: Listing): Promise<Page> {
  await using folder = await openPath(fence, path, FOLDER)
  const rules = listing.gitignore ? await rulesFor(fence, folder) : undefined
  const page = new PageOfEntries(fence, listing)
  await page.add(folder, [], rules)
  return page
}

/** Loaded when they are asked for. */
async function rulesFor(fence: Fence, folder: Opened): Promise<IgnoreRules> {
  const { IgnoreRules } = await import("./ignore-rules.ts")
  return IgnoreRules.around(fence, folder, [".gitignore"])
}

class PageOfEntries implements Page {
  readonly entries: FileEntry[] = []
  nextCursor: string | undefined
  readonly #after: readonly BytePath[]
  #last: readonly BytePath[] = []

  constructor(
    private readonly fence: Fence,
    private readonly listing: Listing,
  ) {
    this.#after = cursorNames(listing.cursor)
  }

  /** `way`: the names from the top to this folder. */
  async add(folder: Opened, way: readonly BytePath[], rules: IgnoreRules | undefined): Promise<void> {
    const names = this.#namesAfter(await namesIn(folder), way)
    for (let i = 0; i < names.length && this.nextCursor === undefined; i += AT_ONCE) {
      const some = names.slice(i, i + AT_ONCE)
      const found = await Promise.all(some.map((name) => entryOf(this.fence, folder, name)))
      for (const [n, entry] of found.entries()) {
        const name = some[n]
        if (entry === undefined || name === undefined) continue
        await this.#addOne(folder, [...way, name], entry, rules)
        if (this.nextCursor !== undefined) return
      }
    }
  }

  async #addOne(folder: Opened, way: readonly BytePath[], entry: FileEntry, rules: IgnoreRules | undefined) {
    const name = way.at(-1) ?? ""
    const isDirectory = entry.entryType === "directory" && entry.symlink === undefined
    if (rules?.ignores(folder.pathOf(name), isDirectory)) return
    if (!this.#isPast(way)) {
      if (this.entries.length === this.listing.limit) {
        this.nextCursor = cursorOf(this.#last)
        return
      }
      this.entries.push(entry)
      this.#last = way
    }
    if (!isDirectory || way.length >= this.listing.depth) return
    const opened = await enter(this.fence, folder, name)
    if (opened === undefined) return
    await using inside = opened
    await this.add(inside, way, await rules?.inside(inside))
  }

  /** Given on an earlier page: the last one itself, and what it is in. */
  #isPast(way: readonly BytePath[]): boolean {
    return way.length <= this.#after.length && way.every((name, i) => name === this.#after[i])
  }

  #namesAfter(names: BytePath[], way: readonly BytePath[]): BytePath[] {
    const from = this.#isPast(way) ? this.#after[way.length] : undefined
    return names.filter(
      (name) => (from === undefined || byBytes(name, from) >= 0) && (this.listing.hidden || !name.startsWith(".")),
    )
  }
}

const cursorOf = (way: readonly BytePath[]): string => toBuffer(`/${way.join("/")}`).toString("base64url")

function cursorNames(cursor: string | undefined): BytePath[] {
  if (cursor === undefined) return []
  const [start, ...names] = ofBuffer(Buffer.from(cursor, "base64url")).split("/")
  const isOurs = start === "" && names.length > 0 && !names.some((name) => ["", ".", ".."].includes(name))
  if (!isOurs) throw new SandboxAgentError("invalid_request", "query cursor: not a cursor of this list")
  return names
}
