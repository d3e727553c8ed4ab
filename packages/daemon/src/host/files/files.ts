import { posix } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { type BytePath, ofText, parsePath } from "./byte-path.ts"
import { Drafts } from "./drafts.ts"
import { Made, type Owner } from "./entry-handle.ts"
import type { Fence } from "./fence.ts"
import { Locks } from "./lock.ts"

export interface FilesOptions {
  fence: Fence
  /** Whom new files and folders belong to, where that is not the daemon's user. */
  owner: Owner | undefined
  /** Where relative paths begin when no session is named. */
  directory: string
  /** Where files that are not whole yet are noted. */
  drafts: string
}

/** The files of this machine, as clients may have them. */
export class Files {
  readonly fence: Fence
  readonly owner: Owner | undefined
  readonly drafts: Drafts
  readonly locks = new Locks()
  readonly #directory: BytePath

  constructor(options: FilesOptions) {
    this.fence = options.fence
    this.owner = options.owner
    this.drafts = new Drafts(options.drafts)
    this.#directory = ofText(options.directory)
  }

  /** `directory`: that of the session that was named. */
  path(given: string, directory: string | undefined): BytePath {
    return parsePath(given, () => {
      if (directory !== undefined) return ofText(directory)
      throw new SandboxAgentError("invalid_request", "path: a relative path needs `sessionId`, or begin it with /")
    })
  }

  /** Where a client looks that names nothing. */
  home(directory: string | undefined): BytePath {
    if (directory !== undefined) return posix.normalize(ofText(directory))
    const [root] = this.fence.roots
    return root ?? this.#directory
  }

  made(): Made {
    return new Made(this.fence, this.owner)
  }
}
