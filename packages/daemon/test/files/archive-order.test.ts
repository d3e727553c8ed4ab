import { lstatSync, readFileSync, readlinkSync, realpathSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { describe, expect, test } from "vitest"
import { disk, mountable } from "../harness/disk.ts"
import { filesDaemon, workspace } from "./files-api.ts"
import { pax, type RawEntry, rawArchive } from "./tar-bytes.ts"
import { treeOf } from "./tree-of.ts"

const shared = filesDaemon()

interface Uploaded {
  skipped: { path: string; reason: string }[]
}

const upload = (path: string, entries: RawEntry[]) =>
  shared.fs.ok<Uploaded>("POST", "upload-batch", { path }, rawArchive(...entries))

const folder = (name: string, mode: number, mtime = 1_500_000_000): RawEntry[] => [
  pax({ mtime: String(mtime) }),
  { name, type: "5", mode },
]

describe("the last word of an archive holds", () => {
  const cases: [name: string, entries: RawEntry[], tree: string[], skipped?: string[]][] = [
    [
      "a folder is told twice",
      [...folder("a", 0o700, 1), { name: "a/f" }, ...folder("a", 0o751)],
      ["/a/ 751 1500000000", "/a/f"],
    ],
    [
      "a folder is told after what is in it",
      [{ name: "a/b/f" }, ...folder("a/b", 0o711), ...folder("a", 0o500)],
      ["/a/ 500 1500000000", "/a/b/ 711 1500000000", "/a/b/f"],
    ],
    [
      "a file, then a folder",
      [{ name: "a", content: "x" }, ...folder("a", 0o711), { name: "a/f" }],
      ["/a/ 711", "/a/f"],
    ],
    ["a link, then a folder", [{ name: "a", type: "2", target: "/" }, ...folder("a", 0o711)], ["/a/ 711"]],
    ["a folder, then a file", [...folder("a", 0o711), { name: "a", content: "x" }], ["/a 644"]],
    ["a folder, then a link", [...folder("a", 0o711), { name: "a", type: "2", target: "b" }], ["/a -> b"]],
    ["a folder, a file, a folder", [...folder("a", 0o700), { name: "a" }, ...folder("a", 0o711)], ["/a/ 711"]],
    [
      "a folder, a file, what would be in it",
      [...folder("a", 0o700), { name: "a" }, { name: "a/f" }],
      ["/a 644"],
      ["a/f"],
    ],
    ["a folder that is not empty, then a file", [{ name: "a/f" }, { name: "a" }], ["/a/", "/a/f"], ["a"]],
  ]
  test.each(cases)("%s", async (_, entries, tree, left = []) => {
    const to = workspace()
    const { skipped } = await upload(to, entries)
    expect(skipped.map(({ path }) => path)).toEqual(left)
    const found = treeOf(to)
    expect(found.map((line, n) => line.slice(0, tree[n]?.length))).toEqual(tree)
  })
})

test.skipIf(!mountable)("what lands on another file system is what the archive has, also a link", async () => {
  const secret = join(workspace(), "secret")
  writeFileSync(secret, "secret")
  const mounted = disk("3m")
  const name = basename(mounted)
  await upload(realpathSync(tmpdir()), [
    { name: `${name}/l`, type: "2", target: secret },
    pax({ mtime: "1500000000" }),
    { name: `${name}/f`, content: "x", mode: 0o751 },
  ])
  expect(lstatSync(join(mounted, "l")).isSymbolicLink() && readlinkSync(join(mounted, "l"))).toBe(secret)
  const { mode, mtimeMs } = statSync(join(mounted, "f"))
  expect([readFileSync(join(mounted, "f"), "utf8"), mode & 0o777, mtimeMs / 1_000]).toEqual(["x", 0o751, 1_500_000_000])
})
