import { link, lstat, mkdir, open, symlink } from "node:fs/promises"
import { dirname, isAbsolute, join, normalize, sep } from "node:path"
import type { InstallLimits } from "@sandbox-agent/schema/install-limits"
import { writeAll } from "../files/write-all.ts"
import { SourceFailure } from "./failure.ts"

/** A folder that an archive is unpacked into. Nothing gets out of it, neither by name nor through a link. */
export class UnpackedFolder {
  readonly #links = new Set<string>()
  #files = 0
  #bytes = 0

  constructor(
    private readonly root: string,
    private readonly bounds: InstallLimits,
  ) {}

  async directory(name: string): Promise<void> {
    await this.#parents(`${this.#place(name)}${sep}x`)
  }

  async file(name: string, mode: number, content: AsyncIterable<Uint8Array>): Promise<void> {
    const place = this.#place(name)
    if (place === ".") throw refused(name, "names the folder itself")
    await this.#parents(place)
    this.#count()
    // `wx`: an archive that names a file twice could otherwise write through what it put there first.
    const file = await open(join(this.root, place), "wx", mode & 0o111 ? 0o755 : 0o644)
    try {
      for await (const piece of content) {
        this.#bytes += piece.byteLength
        if (this.#bytes > this.bounds.unpackedBytes)
          throw new SourceFailure("too_large", `the archive holds more than ${this.bounds.unpackedBytes} bytes`)
        await writeAll(file, piece)
      }
    } finally {
      await file.close()
    }
  }

  async link(name: string, target: string): Promise<void> {
    const place = this.#place(name)
    if (isAbsolute(target) || escapes(normalize(join(dirname(place), target))))
      throw refused(name, `is a link to ${target}, outside of the archive`)
    await this.#parents(place)
    this.#count()
    await symlink(target, join(this.root, place))
    this.#links.add(place)
  }

  /** A second name of a file that the archive brought before. */
  async hardLink(name: string, target: string): Promise<void> {
    const [place, old] = [this.#place(name), this.#place(target)]
    await this.#parents(old)
    await this.#parents(place)
    this.#count()
    const known = await lstat(join(this.root, old)).catch(() => undefined)
    if (!known?.isFile()) throw refused(name, `is a second name of ${target}, which is not a file of the archive`)
    await link(join(this.root, old), join(this.root, place))
  }

  #place(name: string): string {
    const clean = normalize(name).replace(/\/+$/, "") || "."
    if (name.includes("\0") || isAbsolute(name) || escapes(clean)) throw refused(name, "leads out of the folder")
    return clean
  }

  async #parents(place: string): Promise<void> {
    const parts = dirname(place).split(sep)
    for (let depth = 1; depth <= parts.length; depth++) {
      const parent = parts.slice(0, depth).join(sep)
      if (this.#links.has(parent)) throw refused(place, `lies behind the link ${parent}`)
    }
    await mkdir(join(this.root, dirname(place)), { recursive: true })
  }

  #count(): void {
    this.#files++
    if (this.#files > this.bounds.unpackedFiles)
      throw new SourceFailure("too_large", `the archive holds more than ${this.bounds.unpackedFiles} files`)
  }
}

const escapes = (path: string): boolean => path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path)

const refused = (name: string, why: string) =>
  new SourceFailure("integrity", `the archive is refused: ${JSON.stringify(name)} ${why}`)
