import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, test } from "vitest"
import { root } from "../harness/daemon.ts"
import { disk, mountable } from "../harness/disk.ts"
import { filesDaemon, queryOf, workspace } from "./files-api.ts"
import { pax, type RawEntry, rawArchive } from "./tar-bytes.ts"
import { treeOf } from "./tree-of.ts"

const shared = filesDaemon()
const at = (name: string) => join(shared.folder, name)

interface Uploaded {
  paths: string[]
  truncated: boolean
  files: number
  directories: number
  links: number
  bytes: number
  skipped: { path: string; reason: string }[]
  skippedCount: number
}

const upload = (folder: string, body: Uint8Array | Bun.BunFile) =>
  shared.fs.ok<Uploaded>("POST", "upload-batch", { path: folder }, body)

async function download(folder: string, query = {}): Promise<Buffer> {
  const response = await fetch(`${shared.daemon.url}/v1/fs/archive?${queryOf({ path: folder, ...query })}`, {
    headers: shared.daemon.api.headers,
  })
  if (!response.ok) throw new Error(await response.text())
  return Buffer.from(await response.arrayBuffer())
}

function run(words: string[], cwd?: string): void {
  const { exitCode, stderr } = Bun.spawnSync(words, { cwd })
  if (exitCode !== 0) throw new Error(`${words.join(" ")}: ${stderr}`)
}

/** A tool that the machine may lack; said aloud, so that nobody takes it for tried. */
function has(tool: string): boolean {
  if (Bun.which(tool) !== null) return true
  console.warn(`SKIPPED: there is no ${tool} on this machine, so archives were not exchanged with it`)
  return false
}

/** A tree with everything that archives find hard. */
function hardTree(): string {
  const top = workspace()
  const long = "x".repeat(180)
  mkdirSync(join(top, "a/b", long, long), { recursive: true })
  writeFileSync(join(top, "a/b", long, long, "file"), "long")
  writeFileSync(join(top, "a/run"), "#!/bin/sh\n")
  chmodSync(join(top, "a/run"), 0o751)
  writeFileSync(join(top, "a/private"), "")
  chmodSync(join(top, "a/private"), 0o600)
  linkSync(join(top, "a/run"), join(top, "z-second-name"))
  symlinkSync("a/run", join(top, "link"))
  symlinkSync(`/nowhere/${long}`, join(top, "far"))
  mkdirSync(join(top, "closed"))
  chmodSync(join(top, "closed"), 0o511)
  mkdirSync(join(top, "empty"))
  writeFileSync(join(top, "ünï"), "text")
  run(["bash", "-c", `printf x > $'not\\xffutf8'; mkdir $'d\\xfe${long}'; printf y > $'d\\xfe${long}/f'`], top)
  writeFileSync(join(top, "big"), Buffer.alloc(3_000_000, "abcdefg"))
  writeFileSync(join(top, "sparse"), "begin")
  truncateSync(join(top, "sparse"), 5_000_000)
  for (const name of ["a/run", "big", "a", "empty"]) utimesSync(join(top, name), 1_500_000_000, 1_500_000_000)
  return top
}

let hard: string
beforeAll(() => {
  hard = hardTree()
})

const made: [name: string, words: (file: string) => string[], tool: string][] = [
  ["GNU tar, pax", (file) => ["tar", "--format=posix", "-cf", file, "."], "tar"],
  ["GNU tar, gnu", (file) => ["tar", "--format=gnu", "-cf", file, "."], "tar"],
  ["GNU tar, gzip", (file) => ["tar", "-czf", file, "."], "tar"],
  ["GNU tar, zstd", (file) => ["tar", "--zstd", "-cf", file, "."], "zstd"],
  ["GNU tar, sparse in the old way", (file) => ["tar", "-S", "--format=gnu", "-cf", file, "."], "tar"],
  ["GNU tar, sparse 0.0", (file) => ["tar", "-S", "--format=posix", "--sparse-version=0.0", "-cf", file, "."], "tar"],
  ["GNU tar, sparse 0.1", (file) => ["tar", "-S", "--format=posix", "--sparse-version=0.1", "-cf", file, "."], "tar"],
  ["GNU tar, sparse 1.0", (file) => ["tar", "-S", "--format=posix", "--sparse-version=1.0", "-cf", file, "."], "tar"],
  ["bsdtar, pax", (file) => ["bsdtar", "--format=pax", "-cf", file, "."], "bsdtar"],
  ["bsdtar, gnutar, gzip", (file) => ["bsdtar", "--format=gnutar", "-czf", file, "."], "bsdtar"],
]

describe("archives of others are unpacked byte for byte, with modes, times and links", () => {
  for (const [name, words, tool] of made)
    test.skipIf(!has(tool))(name, async () => {
      const file = at("archive")
      run(words(file), hard)
      const to = at(`to-${made.findIndex(([one]) => one === name)}`)
      const done = await upload(to, Bun.file(file))
      expect(done.skipped).toEqual([])
      expect(treeOf(to)).toEqual(treeOf(hard))
      expect(done.files).toBe(8)
      if (name.includes("sparse")) expect(statSync(join(to, "sparse")).blocks * 512).toBeLessThan(1_000_000)
    })
})

describe("archives of ours are unpacked by others", () => {
  for (const [format, tool, words] of [
    ["tar", "tar", ["tar", "-xpf"]],
    ["tar.gz", "tar", ["tar", "-xpzf"]],
    ["tar.zst", "zstd", ["tar", "--zstd", "-xpf"]],
    ["tar.gz", "bsdtar", ["bsdtar", "-xpf"]],
  ] as const)
    test.skipIf(!has(tool))(`${format} by ${words[0]}`, async () => {
      writeFileSync(at("ours"), await download(hard, { format }))
      const to = workspace()
      run([...words, at("ours")], to)
      expect(treeOf(to)).toEqual(treeOf(hard))
    })

  test("hidden and ignored files are left out on request", async () => {
    const top = workspace()
    for (const name of [".git/config", "dist/out.js", "src/in.js", ".env"]) {
      mkdirSync(join(top, name, ".."), { recursive: true })
      writeFileSync(join(top, name), "")
    }
    writeFileSync(join(top, ".gitignore"), "dist\n")
    const names = async (query: object) => {
      const to = workspace()
      await upload(to, await download(top, query))
      return treeOf(to).map((line) => line.split(" ")[0])
    }
    expect(await names({ gitignore: true })).toEqual(["/.env", "/.gitignore", "/src/", "/src/in.js"])
    expect(await names({ hidden: false })).toEqual(["/dist/", "/dist/out.js", "/src/", "/src/in.js"])
  })

  test("a client that leaves ends it, and no file stays open", async () => {
    const open = () => readdirSync(`/proc/${shared.daemon.pid}/fd`).length
    const before = open()
    for (let i = 0; i < 10; i++) {
      const leave = new AbortController()
      const response = await fetch(
        `${shared.daemon.url}/v1/fs/archive?${queryOf({ path: join(root, "node_modules"), format: "tar.gz" })}`,
        {
          headers: shared.daemon.api.headers,
          signal: leave.signal,
        },
      )
      await response.body?.getReader().read()
      leave.abort()
    }
    while (open() > before + 2) await Bun.sleep(20)
  })
})

describe("entries that mean harm", () => {
  /** What stays as it is, whatever an archive says. */
  const outside = workspace()
  writeFileSync(join(outside, "kept"), "kept")

  const attacks: [name: string, entries: RawEntry[]][] = [
    ["dot dot", [{ name: "../evil", content: "x" }]],
    ["dot dot inside", [{ name: "a/../../evil", content: "x" }]],
    ["absolute", [{ name: `${outside}/evil`, content: "x" }]],
    ["absolute by pax", [pax({ path: `${outside}/evil` }), { name: "fine", content: "x" }]],
    ["dot dot by pax", [pax({ path: "../evil" }), { name: "fine", content: "x" }]],
    [
      "dot dot by a long name",
      [
        { name: "././@LongLink", type: "L", content: "../evil\0" },
        { name: "x", content: "x" },
      ],
    ],
    ["dot dot by prefix", [{ name: "evil", prefix: "..", content: "x" }]],
    [
      "through a link to a folder",
      [
        { name: "l", type: "2", target: outside },
        { name: "l/evil", content: "x" },
      ],
    ],
    [
      "through a link up",
      [
        { name: "l", type: "2", target: ".." },
        { name: "l/evil", content: "x" },
      ],
    ],
    [
      "through two links",
      [
        { name: "a", type: "2", target: "." },
        { name: "a/b", type: "2", target: outside },
        { name: "a/b/evil", content: "x" },
      ],
    ],
    [
      "over a link to a file",
      [
        { name: "l", type: "2", target: `${outside}/kept` },
        { name: "l", content: "x" },
      ],
    ],
    [
      "a hard link to a file outside",
      [
        { name: "l", type: "1", target: `${outside}/kept` },
        { name: "l", content: "x" },
      ],
    ],
    [
      "a hard link up",
      [
        { name: "l", type: "1", target: `../${outside.slice(5)}/kept` },
        { name: "l", content: "x" },
      ],
    ],
    [
      "a hard link through a link",
      [
        { name: "d", type: "2", target: outside },
        { name: "l", type: "1", target: "d/kept" },
      ],
    ],
    [
      "a hard link to a link",
      [
        { name: "s", type: "2", target: `${outside}/kept` },
        { name: "l", type: "1", target: "s" },
        { name: "l", content: "x" },
      ],
    ],
    [
      "a folder made of a link",
      [
        { name: "d", type: "2", target: outside },
        { name: "d", type: "5", mode: 0o777 },
        { name: "d/evil", content: "x" },
      ],
    ],
    [
      "devices and pipes",
      [
        { name: "null", type: "3" },
        { name: "sda", type: "4" },
        { name: "pipe", type: "6" },
      ],
    ],
    ["set-user-id", [{ name: "suid", content: "x", mode: 0o6755 }]],
    ["NUL by pax", [pax({ path: "a\0b" }), { name: "x" }]],
  ]
  test.each(attacks)("%s", async (_, entries) => {
    const cage = workspace()
    const to = join(cage, "to")
    const before = statSync(join(outside, "kept"))
    const done = await upload(to, rawArchive(...entries))
    expect(readdirSync(cage)).toEqual(["to"])
    expect(treeOf(outside, { times: false })).toHaveLength(1)
    const after = statSync(join(outside, "kept"))
    expect([readFileSync(join(outside, "kept"), "utf8"), after.nlink, after.mode, after.mtimeMs]).toEqual([
      "kept",
      1,
      before.mode,
      before.mtimeMs,
    ])
    for (const name of readdirSync(to))
      expect(treeOf(to).find((line) => line.startsWith(`/${name}`))).not.toMatch(/ [2-7]\d{3} /)
    expect(done.files + done.directories + done.links + done.skippedCount).toBeGreaterThan(0)
    rmSync(cage, { recursive: true })
  })

  test("what is left out is named with the reason; the rest is there", async () => {
    const to = at("mixed")
    const done = await upload(
      to,
      rawArchive({ name: "good", content: "1" }, { name: "../bad", content: "22" }, { name: "also", content: "333" }),
    )
    expect(done).toMatchObject({
      files: 2,
      bytes: 4,
      skipped: [{ path: "../bad", reason: "leads out of its folder" }],
      skippedCount: 1,
    })
    expect(readFileSync(join(to, "also"), "utf8")).toBe("333")
  })

  const broken: [name: string, bytes: Buffer][] = [
    ["nothing", Buffer.alloc(0)],
    ["no archive", Buffer.from("hello".repeat(500))],
    ["a wrong checksum", rawArchive({ name: "x", checksum: 1 })],
    ["cut off", rawArchive({ name: "x", content: "y".repeat(5000) }).subarray(0, 2000)],
    ["a size that lies", rawArchive({ name: "x", content: "y", size: 1e6 })],
    ["a pax header that lies", rawArchive({ name: "p", type: "x", content: "999 path=x\n" }, { name: "x" })],
    ["a sparse map that lies", rawArchive(pax({ "GNU.sparse.map": "9,9,0,5", "GNU.sparse.size": "4" }), { name: "x" })],
    [
      "a sparse map of more than its file",
      rawArchive(
        pax({ "GNU.sparse.map": "0,600", "GNU.sparse.size": "600" }),
        { name: "x", content: "y" },
        { name: "z" },
      ),
    ],
    [
      "a sparse map without an end",
      rawArchive(pax({ "GNU.sparse.major": "1", "GNU.sparse.realsize": "1" }), {
        name: "x",
        content: "1".repeat(5000),
      }),
    ],
    ["a broken gzip", Buffer.concat([Buffer.from([0x1f, 0x8b, 8, 0]), Buffer.from("nonsense")])],
    ["a broken zstd", Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), Buffer.from("nonsense")])],
    [
      "a cut gzip",
      Buffer.from(Bun.gzipSync(new Uint8Array(rawArchive({ name: "x", content: "y".repeat(9000) })))).subarray(0, 60),
    ],
  ]
  test.each(broken)("%s is refused and leaves nothing", async (_, bytes) => {
    const to = at("broken/sub")
    await shared.fs.refused("invalid_request", "POST", "upload-batch", { path: to }, bytes)
    expect(existsSync(at("broken"))).toBe(false)
  })

  test.skipIf(!mountable)("a full disk is 507: what is there is whole, what is not is not", async () => {
    const full = disk("3m")
    writeFileSync(join(full, "old"), "old")
    const entries = Array.from({ length: 40 }, (_, i) => ({ name: `f${i}`, content: Buffer.alloc(100_000 + i, i) }))
    await shared.fs.refused(
      "insufficient_storage",
      "POST",
      "upload-batch",
      { path: full },
      rawArchive(...entries, { name: "old", content: Buffer.alloc(200_000) }),
    )
    const names = readdirSync(full)
    expect(names).toContain("old")
    expect(readFileSync(join(full, "old"), "utf8")).toBe("old")
    expect(names.filter((name) => name.startsWith("."))).toEqual([])
    for (const name of names.filter((one) => one !== "old"))
      expect(statSync(join(full, name)).size).toBe(100_000 + Number(name.slice(1)))
  })
})
