import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import type { Inotify } from "../../linux/inotify.ts"
import type { BytePath } from "./byte-path.ts"
import { isDraft } from "./draft-name.ts"
import type { Fence } from "./fence.ts"
import type { IgnoreRules } from "./ignore-rules.ts"
import type { Opened } from "./opened.ts"
import { again, enter, isFolder, namesIn } from "./tree.ts"

/** What is watched and what is there are no longer the same: all has to be looked at again. */
export class WatchLost extends Error {}

/** A folder that is watched. */
interface Node {
  watch: number
  name: BytePath
  parent: Node | undefined
  inside: Map<BytePath, Node>
  rules: IgnoreRules | undefined
}

type Found = (way: BytePath, isDirectory: boolean) => void

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
    if (isDraft(name)) return true
    const path = this.root.pathOf(this.wayOf(node, name))
    return !this.fence.allows(path) || (node.rules?.ignores(path, isDirectory) ?? false)
  }

  /** A folder appeared: it is watched from now on, and `found` is told of all that is in it already. */
  async appeared(parent: Node, name: BytePath, found: Found): Promise<void> {
    if (!this.recursive || parent.inside.has(name)) return
    await using above = await this.#openNode(parent)
    const folder = await enter(this.fence, above, name)
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

  /** `undefined`: it was not watched at its old place. */
  moved(from: Node, name: BytePath, to: Node, as: BytePath): Node | undefined {
    const node = from.inside.get(name)
    if (node === undefined) return undefined
    from.inside.delete(name)
    this.vanished(to, as)
    node.parent = to
    node.name = as
    to.inside.set(as, node)
    return node
  }

  /** Reports all that is in a folder. What changes meanwhile the kernel will report. */
  async report(node: Node, found: Found): Promise<void> {
    await using folder = await this.#openNode(node)
    await this.#reportIn(node, folder, found)
  }

  async #reportIn(node: Node, folder: Opened, found: Found): Promise<void> {
    for (const name of await namesIn(folder)) {
      const isDirectory = await isFolder(folder, name)
      if (this.ignores(node, name, isDirectory)) continue
      found(this.wayOf(node, name), isDirectory)
      const below = node.inside.get(name)
      const inside = below && (await enter(this.fence, folder, name))
      if (below === undefined || inside === undefined) continue
      await using opened = inside
      if (this.#is(below, opened)) await this.#reportIn(below, opened, found)
    }
  }

  #node(folder: Opened, name: BytePath, parent: Node | undefined, rules: IgnoreRules | undefined): Node {
    if (this.#byWatch.size >= fileLimits.watchedFolders) throw tooMany(`${fileLimits.watchedFolders} of them at once`)
    const watch = this.inotify.add(folder.self)
    if (watch < 0) throw tooMany("fs.inotify.max_user_watches of this system")
    // The same folder by two names: it was moved while we looked at it.
    if (this.#byWatch.has(watch)) throw new WatchLost()
    const node: Node = { watch, name, parent, inside: new Map(), rules }
    this.#byWatch.set(watch, node)
    parent?.inside.set(name, node)
    return node
  }

  async #fill(node: Node, folder: Opened, found: Found): Promise<void> {
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

  /** By the way from the root. Where another folder has its name by now, moves have not been heard of yet. */
  async #openNode(node: Node): Promise<Opened> {
    if (node.parent === undefined) return again(this.root)
    await using above = await this.#openNode(node.parent)
    const folder = await enter(this.fence, above, node.name)
    if (folder !== undefined && this.#is(node, folder)) return folder
    await folder?.close()
    throw new WatchLost()
  }

  /** Numbers of watches are never used again, unlike those of files. */
  #is(node: Node, folder: Opened): boolean {
    const watch = this.inotify.add(folder.self)
    if (watch >= 0 && !this.#byWatch.has(watch)) this.inotify.remove(watch)
    return watch === node.watch
  }
}

const tooMany = (limit: string) =>
  new SandboxAgentError("unavailable", `there are more folders than can be watched: ${limit}`, {
    hint: "Watch a smaller folder, or leave out what .gitignore names.",
  })
