import { createHash } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { extname, join } from "node:path"
import { brotliCompressSync, constants, gzipSync } from "node:zlib"

const types: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
}

/** Puts a folder into one file for the executable: an index, then each file compressed in both ways. */
export function pack(folder: string, to: string): { files: number; bytes: number } {
  const assets: Record<string, object> = {}
  const parts: Buffer[] = []
  let at = 0
  const add = (bytes: Buffer): [number, number] => {
    parts.push(bytes)
    at += bytes.length
    return [at - bytes.length, at]
  }
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  for (const entry of names) {
    const path = join(entry.parentPath, entry.name)
    const type = types[extname(path)]
    if (type === undefined) throw new Error(`${path}: no type is known for it`)
    const bytes = readFileSync(path)
    const quality = {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }
    assets[path.slice(folder.length + 1)] = {
      type,
      etag: createHash("sha256").update(bytes).digest("base64url").slice(0, 22),
      br: add(brotliCompressSync(bytes, quality)),
      gzip: add(gzipSync(bytes, { level: 9 })),
    }
  }
  const index = Buffer.from(JSON.stringify(assets))
  const head = Buffer.alloc(4)
  head.writeUInt32BE(index.length)
  writeFileSync(to, Buffer.concat([head, index, ...parts]))
  return { files: names.length, bytes: 4 + index.length + at }
}
