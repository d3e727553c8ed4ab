import { closeSync, constants, lstatSync, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs"
import { posix } from "node:path"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import ignore, { type Ignore } from "ignore"
import { type BytePath, byBytes, ofBuffer, ofText, toText } from "../byte-path.ts"
import { isDraft } from "../draft-name.ts"
import type { SearchQuery } from "./query.ts"

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
const linux = process.platform === "linux"

export interface Found {
  /** By the open folder it is in. */
  there: Buffer
  path: BytePath
  /** From the root. */
  way: string
  isDirectory: boolean
}

interface Rules {
  folder: string
  rules: Ignore
  around: Rules | undefined
}

/** Everything below the root, one after the other and without waiting: this is a program of its own. Links are not followed. */
export class Walk {
  readonly #globs: Ignore | undefined
  readonly #not: Ignore | undefined

  constructor(private readonly query: SearchQuery) {
    const no = query.globs.filter((glob) => glob.startsWith("!")).map((glob) => glob.slice(1))
    const yes = query.globs.filter((glob) => !glob.startsWith("!"))
    this.#globs = yes.length === 0 ? undefined : ignore().add(yes)
    this.#not = no.length === 0 ? undefined : ignore().add(no)
  }

  *all(): Generator<Found> {
    const { root } = this.query
    const fd = openSync(Buffer.from(root, "latin1"), FOLDER)
    // What the daemon looked at, and not what was put in its place.
    if (linux && ofBuffer(readlinkSync(`/proc/self/fd/${fd}`, { encoding: "buffer" })) !== root) return closeSync(fd)
    yield* this.#folder(fd, root, "", this.query.gitignore ? this.#above(root) : undefined, 0)
  }

  *#folder(fd: number, path: BytePath, way: string, around: Rules | undefined, depth: number): Generator<Found> {
    try {
      const base = linux ? `/proc/self/fd/${fd}` : path
      const entries = entriesIn(base)
      const names = new Set(entries.map(({ name }) => name))
      const rules = this.query.gitignore ? withRules(base, way, names, around) : undefined
      for (const { name, isDirectory, isFile } of entries) {
        const below = way === "" ? toText(name) : `${way}/${toText(name)}`
        const at = posix.join(path, name)
        if (isDraft(name) || (!this.query.hidden && name.startsWith("."))) continue
        if (rules !== undefined && (name === ".git" || isIgnored(rules, below, isDirectory))) continue
        if (this.query.never.includes(at)) continue
        if (this.#not?.ignores(isDirectory ? `${below}/` : below)) continue
        const there = Buffer.from(`${base}/${name}`, "latin1")
        if (isFile || isDirectory)
          if (this.#globs === undefined || (!isDirectory && this.#globs.ignores(below)))
            yield { there, path: at, way: below, isDirectory }
        if (!isDirectory || depth >= fileLimits.treeDepth) continue
        const inside = opened(there)
        if (inside !== undefined) yield* this.#folder(inside, at, below, rules, depth + 1)
      }
    } finally {
      closeSync(fd)
    }
  }

  /** Rules of the repository around the root. They are read and nothing of them is told. */
  #above(root: BytePath): Rules | undefined {
    const folders: BytePath[] = []
    for (let folder = root; folder !== "/"; folder = posix.dirname(folder)) {
      folders.unshift(folder)
      if (exists(posix.join(folder, ".git"))) break
    }
    if (!exists(posix.join(folders[0] ?? root, ".git"))) return undefined
    let rules: Rules | undefined
    for (const folder of folders.slice(0, -1)) {
      const text = ruleText(folder, ".gitignore")
      if (text === undefined) continue
      // Paths are told from the root, so rules from above see it in front of them.
      rules = { folder: `^${toText(root.slice(folder.length + 1))}`, rules: ignore().add(text), around: rules }
    }
    return rules
  }
}

function withRules(
  base: string,
  way: string,
  names: ReadonlySet<string>,
  around: Rules | undefined,
): Rules | undefined {
  let rules = around
  for (const name of [".gitignore", ".ignore"]) {
    const text = names.has(name) ? ruleText(base, name) : undefined
    if (text !== undefined) rules = { folder: way, rules: ignore().add(text), around: rules }
  }
  return rules
}

function isIgnored(rules: Rules | undefined, way: string, isDirectory: boolean): boolean {
  for (let one = rules; one !== undefined; one = one.around) {
    const path = one.folder.startsWith("^")
      ? `${one.folder.slice(1)}/${way}`
      : one.folder === ""
        ? way
        : way.slice(one.folder.length + 1)
    const { ignored, unignored } = one.rules.test(isDirectory ? `${path}/` : path)
    if (ignored || unignored) return ignored
  }
  return false
}

interface Entry {
  name: BytePath
  isDirectory: boolean
  isFile: boolean
}

/** The kinds come with the names; where a name is no text, they are asked for. */
function entriesIn(base: string): Entry[] {
  const listed = readdirSync(Buffer.from(base, "latin1") as unknown as string, { withFileTypes: true })
  const entries = listed.some(({ name }) => name.includes("\ufffd"))
    ? (
        readdirSync(Buffer.from(base, "latin1") as unknown as string, { encoding: "buffer" }) as unknown as Buffer[]
      ).map((raw) => {
        const stats = lstatSync(Buffer.concat([Buffer.from(`${base}/`, "latin1"), raw]))
        return { name: ofBuffer(raw), isDirectory: stats.isDirectory(), isFile: stats.isFile() }
      })
    : listed.map((one) => ({ name: ofText(one.name), isDirectory: one.isDirectory(), isFile: one.isFile() }))
  return entries.sort((a, b) => byBytes(a.name, b.name))
}

function opened(there: Buffer): number | undefined {
  try {
    return openSync(there, FOLDER)
  } catch {
    // Gone, closed to us or no folder any more: there is nothing to be found in it.
    return undefined
  }
}

function exists(path: BytePath): boolean {
  return lstatSync(Buffer.from(path, "latin1"), { throwIfNoEntry: false }) !== undefined
}

function ruleText(base: string, name: string): string | undefined {
  const path = Buffer.from(`${base}/${name}`, "latin1")
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats?.isFile() || stats.size > fileLimits.ignoreFileBytes) return undefined
  return readFileSync(path, "utf8")
}
