import { createHash } from "node:crypto"
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs"

/** Everything of a tree that an archive has to keep, as text that can be compared. */
export function treeOf(root: string, { times = true } = {}): string[] {
  const inodes = new Map<number, string>()
  const lines: string[] = []
  const walk = (folder: Buffer, way: string): void => {
    const names = readdirSync(folder, { encoding: "buffer" }).sort(Buffer.compare)
    for (const name of names) {
      const path = Buffer.concat([folder, Buffer.from("/"), name])
      const at = `${way}/${name.toString("latin1")}`
      const stats = lstatSync(path)
      const mode = (stats.mode & 0o7777).toString(8)
      const time = times ? Math.floor(stats.mtimeMs / 1000) : ""
      if (stats.isSymbolicLink())
        lines.push(`${at} -> ${readlinkSync(path, { encoding: "buffer" }).toString("latin1")}`)
      else if (stats.isDirectory()) {
        lines.push(`${at}/ ${mode} ${time}`)
        walk(path, at)
      } else {
        const first = stats.nlink > 1 ? inodes.get(stats.ino) : undefined
        if (stats.nlink > 1 && first === undefined) inodes.set(stats.ino, at)
        const hash = createHash("sha1").update(readFileSync(path)).digest("hex")
        lines.push(`${at} ${mode} ${time} ${stats.size} ${hash}${first === undefined ? "" : ` = ${first}`}`)
      }
    }
  }
  walk(Buffer.from(root), "")
  return lines
}
