import { constants } from "node:fs"
import { lstat, open } from "node:fs/promises"
import { posix } from "node:path"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import ignore, { type Ignore } from "ignore"
import { type BytePath, toText } from "./byte-path.ts"
import type { Fence } from "./fence.ts"
import { FOLDER, type Opened, openIn, openPath } from "./opened.ts"

/** Rules that hold below one folder, and those of the folders around it. */
export class IgnoreRules {
  constructor(
    private readonly folder: BytePath,
    private readonly rules: readonly Ignore[],
    private readonly around: IgnoreRules | undefined,
    private readonly fence: Fence,
    /** The names of files with rules, the last of them wins. */
    private readonly files: readonly string[],
  ) {}

  /** Of the repository that a folder is in: its own files, and those between its top and the folder. */
  static async around(fence: Fence, folder: Opened, files: readonly string[]): Promise<IgnoreRules> {
    const above = await foldersOfRepository(fence, folder.path)
    let rules = new IgnoreRules(above[0] ?? folder.path, [], undefined, fence, files)
    for (const path of above) {
      await using one = await openPath(fence, path, FOLDER)
      if (path === above[0]) rules = await rules.withExcluded(one)
      rules = await rules.inside(one)
    }
    return rules
  }

  private async withExcluded(top: Opened): Promise<IgnoreRules> {
    const text = await textIn(this.fence, top, ".git/info/exclude")
    return text === undefined ? this : new IgnoreRules(top.path, [ignore().add(text)], this, this.fence, this.files)
  }

  /** With what this folder adds. */
  async inside(folder: Opened): Promise<IgnoreRules> {
    const texts = await Promise.all(this.files.map((name) => textIn(this.fence, folder, name)))
    const rules = texts.flatMap((text) => (text === undefined ? [] : [ignore().add(text)]))
    return rules.length === 0 ? this : new IgnoreRules(folder.path, rules.reverse(), this, this.fence, this.files)
  }

  ignores(path: BytePath, isDirectory: boolean): boolean {
    if (posix.basename(path) === ".git") return true
    const text = toText(path.slice(this.folder === "/" ? 1 : this.folder.length + 1)) + (isDirectory ? "/" : "")
    for (const rules of this.rules) {
      const { ignored, unignored } = rules.test(text)
      if (ignored || unignored) return ignored
    }
    return this.around?.ignores(path, isDirectory) ?? false
  }
}

/** From the top of the repository to the folder itself; the folder alone where it is in none. */
async function foldersOfRepository(fence: Fence, path: BytePath): Promise<BytePath[]> {
  const folders: BytePath[] = []
  for (let folder = path; fence.allows(folder); folder = posix.dirname(folder)) {
    folders.unshift(folder)
    const isTop = await lstat(Buffer.from(posix.join(folder, ".git"), "latin1")).then(
      () => true,
      () => false,
    )
    if (isTop) return folders
    if (folder === "/") break
  }
  return [path]
}

/** Only a plain file that is not too large has rules in it. */
async function textIn(fence: Fence, folder: Opened, name: string): Promise<string | undefined> {
  const opened = await openIn(fence, folder, name).catch(() => undefined)
  if (opened === undefined) return undefined
  await using file = opened
  const { size, ...stats } = await file.handle.stat()
  if ((stats.mode & constants.S_IFMT) !== constants.S_IFREG || size > fileLimits.ignoreFileBytes) return undefined
  const handle = await open(file.self, constants.O_RDONLY | constants.O_NONBLOCK).catch(() => undefined)
  if (handle === undefined) return undefined
  try {
    const bytes = Buffer.alloc(size)
    const { bytesRead } = await handle.read(bytes, 0, size, 0)
    return bytes.toString("utf8", 0, bytesRead)
  } finally {
    await handle.close()
  }
}
