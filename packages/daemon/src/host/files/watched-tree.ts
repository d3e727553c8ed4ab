import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import type { Inotify } from "../../linux/inotify.ts"
import type { BytePath } from "./byte-path.ts"
import type { Fence } from "./fence.ts"
import type { IgnoreRules } from "./ignore-rules.ts"
import type { Opened } from "./opened.ts"
import { enter, isFolder, namesIn } from "./tree.ts"

/** What is watched and what is there are no longer the same: all has to be looked at again. */
export class LostTrack extends Error {}

/** A folder that is watched. */
interface Node {
  watch: number
  name: BytePath
  parent: Node | undefined
  inside: Map<BytePath, Node>
  rules: IgnoreRules | undefined
}

/** The folders that are watched, by the kernel's numbers and by name. A move changes one name, however much is below. */
export class WatchedTree {
  readonly #byWatch = new Map<number, Node>()
  #root: Node | undefined

  constructor(
    private readonly fence: Fence,
    private readonly inotify: Inotify,
    private readonly root: Opened,
    private readonly recursive: boolean,
  ) {}

  /** Watches the root and all below it. */
  async begin(rules: IgnoreRules | undefined): Promise<void> {
    for (const watch of this.#byWatch.keys()) this.inotify.remove(watch)
    this.#byWatch.clear()
    this.#root = this.#node(this.root, "", undefined, rules)
    await this.#fill(this.#root, this.root, () => undefined)
  }

  at(watch: number): Node | undefined {
    return this.#byWatch.get(watch)
  }

  get rootWatch(): number | undefined {
    return this.#root?.watch
  }

  wayOf(node: Node, name: BytePath): BytePath {
    const above = node.parent === undefined ? "" : this.wayOf(node.parent, node.name)
    return above === "" ? name : `${above}/${name}`
  }

  ignores(node: Node, name: BytePath, isDirectory: boolean): boolean {
    const path = this.root.pathOf(this.wayOf(node, name))
    return !this.fence.allows(path) || (node.rules?.ignores(path, isDirectory) ?? false)
  }

  /** A folder appeared: it is watched from now on, and `found` is told of all that is in it already. */
  async appeared(parent: Node, name: BytePath, found: (way: BytePath, isDirectory: boolean) => void): Promise<void> {
    if (!this.recursive || parent.inside.has(name)) return
    const folder = await this.#open(parent, name)
    if (folder === undefined) return
    await using opened = folder
    const node = this.#node(opened, name, parent, await parent.rules?.inside(opened))
    await this.#fill(node, opened, found)
  }

  /** The folder is gone from here, with all below it. */
  vanished(parent: Node, name: BytePath): void {
    const node = parent.inside.get(name)
    if (node === undefined) return
    parent.inside.delete(name)
    const forget = (one: Node): void => {
      this.inotify.remove(one.watch)
      this.#byWatch.delete(one.watch)
      for (const below of one.inside.values()) forget(below)
    }
    forget(node)
  }

  /** False: it was not watched at its old place. */
  moved(from: Node, name: BytePath, to: Node, as: BytePath): boolean {
    const node = from.inside.get(name)
    if (node === undefined) return false
    from.inside.delete(name)
    this.vanished(to, as)
    node.parent = to
    node.name = as
    to.inside.set(as, node)
    return true
  }

  #node(folder: Opened, name: BytePath, parent: Node | undefined, rules: IgnoreRules | undefined): Node {
    if (this.#byWatch.size >= fileLimits.watchedFolders) throw tooMany(`${fileLimits.watchedFolders} of them at once`)
    const watch = this.inotify.add(folder.self)
    if (watch < 0) throw tooMany("fs.inotify.max_user_watches of this system")
    // The same folder by two names: it was moved while we looked at it.
    if (this.#byWatch.has(watch)) throw new LostTrack()
    const node: Node = { watch, name, parent, inside: new Map(), rules }
    this.#byWatch.set(watch, node)
    parent?.inside.set(name, node)
    return node
  }

  async #fill(node: Node, folder: Opened, found: (way: BytePath, isDirectory: boolean) => void): Promise<void> {
    for (const name of await namesIn(folder)) {
      const isDirectory = await isFolder(folder, name)
      if (this.ignores(node, name, isDirectory)) continue
      found(this.wayOf(node, name), isDirectory)
      if (!isDirectory || !this.recursive) continue
      const opened = await enter(this.fence, folder, name)
      if (opened === undefined) continue
      await using inside = opened
      await this.#fill(this.#node(inside, name, node, await node.rules?.inside(inside)), inside, found)
    }
  }

  /** By the way from the root, no step through a link. */
  async #open(parent: Node, name: BytePath): Promise<Opened | undefined> {
    const names = this.wayOf(parent, name).split("/")
    let folder: Opened | undefined = this.root
    for (const one of names) {
      const next: Opened | undefined = folder && (await enter(this.fence, folder, one))
      if (folder !== this.root) await folder?.close()
      folder = next
    }
    return folder
  }
}

const tooMany = (limit: string) =>
  new SandboxAgentError("unavailable", `there are more folders than can be watched: ${limit}`, {
    hint: "Watch a smaller folder, or leave out what .gitignore names.",
  })
