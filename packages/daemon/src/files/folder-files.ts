import { type FileHandle, readdir, realpath, stat } from "node:fs/promises"
import { join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Confinement } from "./confinement.ts"
import { missing, openRegular } from "./regular-file.ts"

/** What may be taken of folders that somebody else named, all of them together. */
export class Allowance {
  #entries = 0
  #bytes = 0

  constructor(
    private readonly entries: number,
    private readonly bytes: number,
  ) {}

  takeEntries(count: number, folder: string): void {
    this.#entries += count
    if (this.#entries > this.entries) throw tooMuch(folder, `more than ${this.entries} files and folders`, this.entries)
  }

  takeBytes(count: number, path: string): void {
    this.#bytes += count
    if (this.#bytes > this.bytes) throw tooMuch(path, `more than ${this.bytes} bytes`, this.bytes)
  }
}

export interface FolderFile {
  /** Below the folder. */
  name: string
  path: string
  /** Closed when the next one is asked for. */
  handle: FileHandle
}

/** Every file below a folder, by name and through links, each opened as a file that somebody else named has to be. */
export async function* filesBelow(
  folder: string,
  confinement: Confinement,
  allowance: Allowance,
  name = "",
  above: readonly string[] = [],
): AsyncIterable<FolderFile> {
  const real = await realpath(folder).catch((error: unknown) => missing(folder, error))
  confinement.assert(real, folder)
  if (above.includes(real)) throw new SandboxAgentError("invalid_request", `${folder} leads back to ${real}`)
  const entries = await readdir(folder).catch((error: unknown) => missing(folder, error))
  allowance.takeEntries(entries.length, folder)
  for (const entry of entries.sort()) {
    const [path, below] = [join(folder, entry), name === "" ? entry : `${name}/${entry}`]
    const found = await stat(path).catch((error: unknown) => missing(path, error))
    if (found.isDirectory()) yield* filesBelow(path, confinement, allowance, below, [...above, real])
    else {
      const handle = await openRegular(path, confinement)
      try {
        yield { name: below, path, handle }
      } finally {
        await handle.close()
      }
    }
  }
}

const tooMuch = (path: string, what: string, limit: number): SandboxAgentError =>
  new SandboxAgentError("payload_too_large", `with ${path} there are ${what}`, { limit })
