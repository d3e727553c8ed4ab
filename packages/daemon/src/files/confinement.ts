import { readlink, realpath } from "node:fs/promises"
import { basename, dirname, isAbsolute, join, relative } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Reader } from "./reach.ts"

/** Whether a path is this folder or below it. Both without symbolic links. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === "" || (way !== ".." && !way.startsWith("../") && !isAbsolute(way))
}

/** Where a path leads, also one whose last names do not exist yet, and through links to such. */
export async function realPath(path: string, followed = 0): Promise<string> {
  return realpath(path).catch(async () => {
    const folder = dirname(path)
    if (folder === path) return path
    const parent = await realPath(folder, followed)
    const place = join(parent, basename(path))
    const target = followed < LINKS ? await readlink(place).catch(() => undefined) : undefined
    if (target === undefined) return place
    // Not put together by `join`: a `..` behind a link leads out of where the link leads.
    return realPath(isAbsolute(target) ? target : `${parent}/${target}`, followed + 1)
  })
}

/** As many as Linux follows. */
const LINKS = 40

/** Which folders files may be in (all, without any) and which they may never be in. */
export class Confinement {
  constructor(
    readonly roots: readonly string[] = [],
    readonly never: readonly string[] = [],
    /** What is served although `never` covers it. */
    readonly except: readonly string[] = [],
    /** Whom they are opened for, where that is somebody who may do less than we. */
    readonly reader?: Reader | undefined,
  ) {}

  /** Folders are named through links too: they are compared as they really are. */
  static async of(
    roots: readonly string[],
    never: readonly string[] = [],
    except: readonly string[] = [],
    reader?: Reader,
  ): Promise<Confinement> {
    const real = (folders: readonly string[]) => Promise.all(folders.map(realPath))
    return new Confinement(...(await Promise.all([real(roots), real(never), real(except)])), reader)
  }

  allows(path: string): boolean {
    if (this.except.some((folder) => isWithin(folder, path))) return true
    if (this.never.some((folder) => isWithin(folder, path))) return false
    return this.roots.length === 0 || this.roots.some((root) => isWithin(root, path))
  }

  /** `path`: where the thing really is. `named`: what it was called. */
  assert(path: string, named: string): void {
    if (this.allows(path)) return
    const link = path === named ? "" : ` (it is ${path})`
    throw new SandboxAgentError("permission_denied", `${named}${link} is outside the folders this daemon may use`, {
      hint: "Name a file below a folder given with --fs-root.",
    })
  }
}
