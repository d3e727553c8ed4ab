import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { FileChange } from "@sandbox-agent/schema/file"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { Inotify, type InotifyEvent, inotify } from "../../linux/inotify.ts"
import { type BytePath, toText, uriOf } from "./byte-path.ts"
import type { Fence } from "./fence.ts"
import type { IgnoreRules } from "./ignore-rules.ts"
import type { Opened } from "./opened.ts"
import { WatchedTree, WatchLost } from "./watched-tree.ts"

export interface Watching {
  recursive: boolean
  rules: (() => Promise<IgnoreRules>) | undefined
}

/** Whoever moves folders without end keeps nobody busy without end. */
const TRIES = 20
/** What changes within so long is told together. */
const PAUSE_MS = 50
const CHANGED = inotify.modify | inotify.attributes
const HERE = inotify.create | inotify.movedTo
const GONE = inotify.delete | inotify.movedFrom

/** What changes in a folder. Whoever takes nothing for long is told to look again, as is everybody when track is lost. */
export class Watch {
  readonly #inotify: Inotify
  readonly #tree: WatchedTree
  #changes: FileChange[] = []
  /** The last change of each path that waits: more of the same are one. */
  #last = new Map<BytePath, FileChange["type"]>()
  #wake: (() => void) | undefined
  #failed: unknown
  #ended = false

  private constructor(
    fence: Fence,
    private readonly root: Opened,
    private readonly watching: Watching,
  ) {
    if (process.platform !== "linux") throw new SandboxAgentError("not_supported", "folders are watched on Linux alone")
    this.#inotify = new Inotify()
    this.#tree = new WatchedTree(fence, this.#inotify, root, watching.recursive)
  }

  /** Everything that changes once it is there is reported. */
  static async begin(fence: Fence, root: Opened, watching: Watching): Promise<Watch> {
    const watch = new Watch(fence, root, watching)
    try {
      await watch.#begin()
      void watch.#follow()
      return watch
    } catch (error) {
      watch.close()
      throw error
    }
  }

  /** What has come since the last time; waits for something unless `wait` is over. */
  async next(wait: Promise<void>): Promise<FileChange[]> {
    if (this.#changes.length === 0 && !this.#ended) {
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#wake = resolve
      await Promise.race([promise, wait])
      // What belongs together mostly comes together.
      if (this.#changes.length > 0) await Bun.sleep(PAUSE_MS)
      else await this.#lookAtRoot()
    }
    if (this.#failed !== undefined) throw this.#failed
    const changes = this.#changes
    this.#changes = []
    this.#last.clear()
    return changes
  }

  /** The kernel tells of the end of a folder only when nobody has it open any more, and we have. */
  async #lookAtRoot(): Promise<void> {
    if (this.#ended || (await this.root.handle.stat()).nlink > 0) return
    this.#tell("deleted", "")
    this.close()
  }

  get ended(): boolean {
    return this.#ended && this.#changes.length === 0
  }

  close(): void {
    this.#ended = true
    this.#inotify.close()
    this.#wake?.()
  }

  /** Until nothing moves under our hands. */
  async #begin(): Promise<void> {
    for (let tries = 1; ; tries++)
      try {
        return await this.#tree.begin(await this.watching.rules?.())
      } catch (error) {
        if (!(error instanceof WatchLost)) throw error
        if (tries === TRIES) throw new SandboxAgentError("unavailable", "the folder changes faster than it can be read")
      }
  }

  async #follow(): Promise<void> {
    try {
      for await (const events of this.#inotify.events()) {
        try {
          await this.#take(events)
        } catch (error) {
          if (!(error instanceof WatchLost)) throw error
          await this.#again()
        }
        if (this.#ended) return
        this.#wake?.()
      }
    } catch (error) {
      this.#failed = error
    } finally {
      this.close()
    }
  }

  /** First everything is watched again, then the client is notified: changes after its next listing are reported. */
  async #again(): Promise<void> {
    await this.#begin()
    this.#changes = []
    this.#last.clear()
    this.#tell("resync", "")
  }

  async #take(events: readonly InotifyEvent[]): Promise<void> {
    for (let i = 0; i < events.length; i++) {
      const event = events[i] as InotifyEvent
      if (event.mask & inotify.overflow) throw new WatchLost()
      const next = events[i + 1]
      const isMove = event.mask & inotify.movedFrom && next?.cookie === event.cookie && next.mask & inotify.movedTo
      if (isMove && next !== undefined) {
        await this.#moved(event, next)
        i++
      } else await this.#one(event)
    }
  }

  async #one({ watch, mask, name }: InotifyEvent): Promise<void> {
    if (mask & (inotify.deleteSelf | inotify.moveSelf) && watch === this.#tree.rootWatch) {
      this.#tell("deleted", "")
      this.close()
      return
    }
    const node = this.#tree.at(watch)
    if (node === undefined || name === "") return
    const isDirectory = (mask & inotify.folder) !== 0
    if (this.#tree.ignores(node, name, isDirectory)) return
    if (this.watching.rules !== undefined && name === ".gitignore") throw new WatchLost()
    const way = this.#tree.wayOf(node, name)
    if (mask & GONE) {
      this.#tree.vanished(node, name)
      this.#tell("deleted", way, isDirectory)
    } else if (mask & HERE) {
      // A folder that takes the place of another is another one.
      if (isDirectory) this.#tree.vanished(node, name)
      this.#tell("created", way, isDirectory)
      if (isDirectory) await this.#tree.appeared(node, name, this.#found)
    } else if (mask & CHANGED) this.#tell("modified", way, isDirectory)
  }

  async #moved(from: InotifyEvent, to: InotifyEvent): Promise<void> {
    const [source, target] = [this.#tree.at(from.watch), this.#tree.at(to.watch)]
    const isDirectory = (from.mask & inotify.folder) !== 0
    const isSeen = (node: typeof source, name: BytePath) =>
      node !== undefined && !this.#tree.ignores(node, name, isDirectory)
    // From or to a place that is not watched it is an end or a beginning.
    const known = source && target && isSeen(source, from.name) && isSeen(target, to.name)
    const isTree = isDirectory && this.watching.recursive
    const node = known && isTree ? this.#tree.moved(source, from.name, target, to.name) : undefined
    if (!known || (isTree && node === undefined)) {
      await this.#one(from)
      return this.#one(to)
    }
    this.#tell("moved", this.#tree.wayOf(target, to.name), isDirectory, this.#tree.wayOf(source, from.name))
    // Whoever listed the folder after the move has nothing at its old place that could have come along.
    if (node !== undefined) await this.#tree.report(node, this.#found)
  }

  readonly #found = (way: BytePath, isDirectory: boolean): void => this.#tell("created", way, isDirectory)

  #tell(type: FileChange["type"], way: BytePath, isDirectory?: boolean, from?: BytePath): void {
    if (type === "modified" && ["created", "modified"].includes(this.#last.get(way) ?? "")) return
    // A folder that is reported again is another one, and its contents follow.
    if (type === "created" && !isDirectory && this.#last.get(way) === "created") return
    if (this.#changes.length >= fileLimits.watchWaiting) {
      this.#changes = [{ type: "resync" }]
      this.#last.clear()
    }
    // Only looking again helps from here on.
    if (this.#changes[0]?.type === "resync" && this.#changes.length === 1 && type === "resync") return
    const path = way === "" ? this.root.path : this.root.pathOf(way)
    // What was said of what is below holds no longer.
    if (type === "moved" || (isDirectory && type !== "modified")) this.#last.clear()
    if (type !== "moved") this.#last.set(way, type)
    this.#changes.push({
      type,
      ...(type === "resync" ? {} : { path: toText(path), uri: uriOf(path) }),
      ...(isDirectory === undefined ? {} : { entryType: isDirectory ? ("directory" as const) : ("file" as const) }),
      ...(from === undefined ? {} : { from: toText(this.root.pathOf(from)), fromUri: uriOf(this.root.pathOf(from)) }),
    })
  }
}
