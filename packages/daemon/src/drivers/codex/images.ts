import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { ContentPart } from "@sandbox-agent/schema/item"

/** Pictures in results of tools, kept as files: an event names them. */
export class Images {
  constructor(private readonly folder: string) {}

  part(data: string, mime = "image/png"): ContentPart {
    const bytes = Buffer.from(data, "base64")
    const hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex")
    const path = join(this.folder, `${hash}.${/^image\/([a-z]+)/.exec(mime)?.[1] ?? "bin"}`)
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
    writeFileSync(path, bytes, { mode: 0o600 })
    return { type: "image", path, mime }
  }
}
