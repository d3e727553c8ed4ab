import { realpath } from "node:fs/promises"
import { posix } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { isWithin } from "../../files/confinement.ts"
import { type BytePath, ofBuffer, ofText, toBuffer, toText } from "./byte-path.ts"

/** Where files that clients name may be: below the roots, if there are any, and never where the daemon keeps its own. */
export class Fence {
  constructor(
    readonly roots: readonly BytePath[],
    readonly never: readonly BytePath[] = [],
    /** Served although `never` covers it. */
    readonly except: readonly BytePath[] = [],
  ) {}

  static ofTexts(roots: readonly string[], never: readonly string[], except: readonly string[]): Fence {
    return new Fence(roots.map(ofText), never.map(ofText), except.map(ofText))
  }

  /** `path`: where something really is. */
  allows(path: BytePath): boolean {
    if (this.except.some((folder) => isWithin(folder, path))) return true
    if (this.never.some((folder) => isWithin(folder, path))) return false
    return this.roots.length === 0 || this.roots.some((root) => isWithin(root, path))
  }

  assert(path: BytePath, named: BytePath): void {
    if (this.allows(path)) return
    const isDaemons = this.never.some((folder) => isWithin(folder, path))
    throw new SandboxAgentError(
      "permission_denied",
      isDaemons
        ? `${toText(named)} is in the data directory of this daemon, which is not served`
        : `${toText(named)} is outside the folders this daemon may use`,
      isDaemons ? {} : { hint: "Name a file below a folder given with --fs-root." },
    )
  }

  /** What is to be removed or moved away may be none of the roots, nor hold one or what is the daemon's own. */
  assertMovable(path: BytePath, named: BytePath): void {
    const held = [...this.roots, ...this.never].find((folder) => isWithin(path, folder))
    if (path !== "/" && held === undefined) return
    throw new SandboxAgentError(
      "permission_denied",
      `${toText(named)} ${path === "/" ? "is the root of the file system" : `holds ${toText(held ?? path)}, which this daemon needs`}`,
    )
  }

  /** Nothing was found at `path`: a client that may not look there does not learn it. */
  async assertMissing(path: BytePath): Promise<void> {
    for (let folder = path; ; folder = posix.dirname(folder)) {
      const real = await realpath(toBuffer(folder), { encoding: "buffer" }).catch(() => undefined)
      if (real === undefined && folder !== "/") continue
      this.assert(real === undefined ? folder : ofBuffer(real), path)
      return
    }
  }
}
