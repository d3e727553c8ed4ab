import { existsSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { full } from "@sandbox-agent/test-agents/extent"
import { expect } from "vitest"
import { filesDaemon } from "./files-api.ts"
import { overfill } from "./overfill.ts"
import { pax, type RawEntry, rawArchive } from "./tar-bytes.ts"

const shared = filesDaemon()
const at = (name: string) => join(shared.folder, name)

overfill(["archiveHeaderBytes", "sparsePieces"], "a larger header and more pieces are refused", async () => {
  const long = "x".repeat(fileLimits.archiveHeaderBytes + 1)
  await shared.fs.refused(
    "invalid_request",
    "POST",
    "upload-batch",
    { path: at("bound") },
    rawArchive({ name: "l", type: "L", content: long }),
  )
  const map = Array.from({ length: fileLimits.sparsePieces + 1 }, (_, i) => `${i},1`).join(",")
  expect(Buffer.byteLength(map)).toBeLessThan(fileLimits.archiveHeaderBytes * 2)
  await shared.fs.refused(
    "invalid_request",
    "POST",
    "upload-batch",
    { path: at("bound") },
    rawArchive(pax({ "GNU.sparse.map": map, "GNU.sparse.size": "1" }), { name: "x" }),
  )
})

overfill(
  ["pathBytes", "treeDepth"],
  "an entry at no possible place is refused by its name, and nothing is made",
  async () => {
    const deep = "a/".repeat(fileLimits.treeDepth)
    const long = `${"x".repeat(200)}/`.repeat(21)
    const impossible: [what: string, entries: RawEntry[]][] = [
      ["deep by pax", [pax({ path: `${deep}f` }), { name: "x", content: "1" }]],
      [
        "deep by a long name",
        [
          { name: "L", type: "L", content: `${deep}f\0` },
          { name: "x", content: "1" },
        ],
      ],
      ["a deep folder", [pax({ path: `${deep}f/` }), { name: "x", type: "5" }]],
      ["a million folders", [pax({ path: `${"a/".repeat(500_000)}f` }), { name: "x", content: "1" }]],
      ["long", [pax({ path: `${long}f` }), { name: "x", content: "1" }]],
      ["long with the folder it is put into", [pax({ path: long.slice(0, fileLimits.pathBytes - 5) }), { name: "x" }]],
    ]
    for (const [what, entries] of impossible) {
      const { detail } = await shared.fs.refused(
        "invalid_request",
        "POST",
        "upload-batch",
        { path: at("impossible/sub") },
        rawArchive(...entries),
      )
      expect(detail, what).toMatch(
        what.includes("long") && !what.includes("by a") ? /^the entry x{200}… / : /^the entry (a\/)+/,
      )
      expect(String(detail).length).toBeLessThan(1_000)
      expect(existsSync(at("impossible")), what).toBe(false)
    }
    for (const target of [`${deep}f`, `${long}f`]) {
      const linked = rawArchive(pax({ linkpath: target }), { name: "l", type: "1" })
      await shared.fs.refused("invalid_request", "POST", "upload-batch", { path: at("impossible") }, linked)
    }
    const fits = rawArchive(pax({ path: `${deep.slice(2)}f` }), { name: "x", content: "1" })
    await shared.fs.ok("POST", "upload-batch", { path: at("possible") }, fits)
    expect(readFileSync(at(`possible/${deep.slice(2)}f`), "utf8")).toBe("1")
    await shared.fs.ok("DELETE", "entry", { path: at("possible"), recursive: true })
  },
)

overfill(
  ["archiveEntries"],
  "an archive of more entries is refused",
  async () => {
    // Many small members, one after the other: gzip allows it, and a few kilobytes are a million entries.
    const member = Bun.gzipSync(
      new Uint8Array(Buffer.concat(Array(10_000).fill(rawArchive({ name: "." }).subarray(0, 512)))),
    )
    const archive = Buffer.concat(Array(fileLimits.archiveEntries / 10_000 + 1).fill(member))
    await shared.fs.refused("payload_too_large", "POST", "upload-batch", { path: at("bound") }, archive)
  },
  { timeout: 120_000, skip: !full },
)

/** A file of one byte and holes, in each form that says so. */
function holes(realSize: number): [form: string, entries: RawEntry[]][] {
  const size = String(realSize)
  // The map of GNU stands where POSIX has the prefix, the real size of it in bytes.
  const real = Buffer.alloc(12)
  real[0] = 0x80
  real.writeBigUInt64BE(BigInt(realSize), 4)
  const map = `${"\0".repeat(41)}00000000000\x0000000000001\0`
  const gnu = { magic: "ustar  \0", prefix: `${map.padEnd(138, "\0")}${real.toString("latin1")}` }
  const inFront = "1\n0\n1\n".padEnd(512, "\0")
  return [
    ["GNU", [{ name: "holes", type: "S", content: "x", ...gnu }]],
    ["0.1", [pax({ "GNU.sparse.map": "0,1", "GNU.sparse.size": size }), { name: "holes", content: "x" }]],
    [
      "1.0",
      [
        pax({ "GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": size }),
        { name: "holes", content: `${inFront}x` },
      ],
    ],
  ]
}

overfill(["sparseBytes"], "files with more holes are refused by name, and nothing of them is there", async () => {
  const path = at("holes")
  for (const [form, entries] of holes(fileLimits.sparseBytes + 1)) {
    const archive = rawArchive(...entries)
    const { detail } = await shared.fs.refused("payload_too_large", "POST", "upload-batch", { path }, archive)
    expect(detail, form).toContain("holes")
    expect(existsSync(path), form).toBe(false)
  }
  const [first, ...others] = holes(fileLimits.sparseBytes / 2).map(([, entries]) => entries)
  const several = [first, ...others].flatMap((entries, n) => entries?.map((one) => ({ ...one, name: `h${n}` })) ?? [])
  await shared.fs.refused("payload_too_large", "POST", "upload-batch", { path }, rawArchive(...several))
  expect(existsSync(join(path, "h2"))).toBe(false)
  for (const [form, entries] of holes(1_000_000)) {
    await shared.fs.ok("POST", "upload-batch", { path }, rawArchive(...entries))
    expect(statSync(join(path, "holes")).size, form).toBe(1_000_000)
    rmSync(join(path, "holes"))
  }
})

overfill(
  ["archiveNamed", "openFolders", "smallFilesAtOnce", "smallFileBytes"],
  "so many paths are named, and beyond all of them every file is whole",
  async () => {
    const folders = fileLimits.openFolders * 2 + 3
    const entries = Array.from({ length: fileLimits.archiveNamed + 50 }, (_, i) => ({
      name: `d${i % folders}/e/f${i}`,
      content: i % 100 === 0 ? "z".repeat(fileLimits.smallFileBytes + (i % 3) - 1) : String(i),
    }))
    expect(entries.length).toBeGreaterThan(fileLimits.smallFilesAtOnce)
    const done = await shared.fs.ok<{ paths: string[]; truncated: boolean; files: number }>(
      "POST",
      "upload-batch",
      { path: at("many") },
      rawArchive(...entries),
    )
    expect([done.files, done.paths.length, done.truncated]).toEqual([entries.length, fileLimits.archiveNamed, true])
    for (const { name, content } of entries) expect(readFileSync(at(`many/${name}`), "utf8") === content).toBe(true)
  },
)
