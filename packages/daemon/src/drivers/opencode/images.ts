import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ContentPart } from "@sandbox-agent/schema/item"
import type { FilePart } from "./native.ts"

/** Pictures that tools bring, as files: the core takes them from there. */
export class Images {
  constructor(private readonly folder: string) {}

  /** `undefined`: it is no picture, or not here. */
  part({ mime, url }: Pick<FilePart, "mime" | "url">): ContentPart | undefined {
    const [, data] = /^data:[^,]*;base64,(.*)$/s.exec(url) ?? []
    if (!mime.startsWith("image/") || data === undefined) return undefined
    const bytes = Buffer.from(data, "base64")
    const name = new Bun.CryptoHasher("sha256").update(bytes).digest("hex").slice(0, 32)
    const path = join(this.folder, `${name}.${/^image\/([a-z0-9]+)/.exec(mime)?.[1] ?? "bin"}`)
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    if (!existsSync(path)) writeFileSync(path, bytes, { mode: 0o600 })
    return { type: "image", path, mime }
  }
}
