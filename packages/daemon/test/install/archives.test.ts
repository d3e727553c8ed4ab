import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { installLimits } from "@sandbox-agent/schema/install-limits"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { untar } from "../../src/install/tar.ts"
import { UnpackedFolder } from "../../src/install/unpacked.ts"
import { unzip } from "../../src/install/zip.ts"
import { type Entry, tarGz, zip } from "./archives.ts"

let directory: string
let inside: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "sa-archive-"))
  inside = join(directory, "inside")
  await mkdir(inside)
})
afterEach(() => rm(directory, { recursive: true, force: true }))

async function unpack(kind: "tar" | "zip", bytes: Buffer): Promise<void> {
  const file = join(directory, "archive")
  await writeFile(file, bytes)
  const folder = new UnpackedFolder(inside, installLimits)
  await (kind === "tar" ? untar(file, folder) : unzip(file, folder))
}

const made = { tar: tarGz, zip }
const link = (name: string, target: string): Entry => ({ name, type: "2", target, content: "", mode: 0o777 })
const zipLink = (name: string, target: string): Entry => ({ name, content: target, mode: 0o120777 })

describe.each(["tar", "zip"] as const)("%s", (kind) => {
  const linked = kind === "tar" ? link : zipLink

  test("files, folders, modes and links", async () => {
    const big = "0123456789".repeat(100_000)
    const entries: Entry[] = [
      { name: "./a/b/big", content: big, mode: 0o100755 },
      { name: "empty", content: "" },
      linked("a/again", "b/big"),
    ]
    await unpack(kind, made[kind](entries))
    expect(await readFile(join(inside, "a/b/big"), "utf8")).toBe(big)
    expect((await stat(join(inside, "a/b/big"))).mode & 0o777).toBe(0o755)
    expect((await stat(join(inside, "empty"))).size).toBe(0)
    expect(await readlink(join(inside, "a/again"))).toBe("b/big")
  })

  test.each<[string, Entry[], RegExp]>([
    ["a way up", [{ name: "../out", content: "x" }], /leads out/],
    ["a way up in the middle", [{ name: "a/../../out", content: "x" }], /leads out/],
    ["an absolute name", [{ name: "/tmp/sa-evil", content: "x" }], /leads out/],
    ["a link out", [linked("l", "../..")], /outside of the archive/],
    ["an absolute link", [linked("l", "/etc")], /outside of the archive/],
    ["a file behind a link", [linked("l", "."), { name: "l/x", content: "x" }], /behind the link/],
    ["a file deep behind a link", [{ name: "d/e/f" }, linked("l", "d"), { name: "l/e/g" }], /behind the link/],
    ["a file over a link", [linked("l", "d"), { name: "l", content: "x" }], /cannot be unpacked/],
    ["a name twice", [{ name: "a" }, { name: "a" }], /cannot be unpacked/],
  ])("refuses %s", async (_name, entries, words) => {
    await expect(unpack(kind, made[kind](entries))).rejects.toThrow(words)
    expect((await readdir(directory)).sort()).toEqual(["archive", "inside"])
  })

  test("refuses an archive cut anywhere", async () => {
    const noise = Buffer.from(Array.from({ length: 3000 }, (_, n) => (n * 7919) % 251))
    const whole = made[kind]([{ name: "a", content: noise }])
    for (const part of [0.1, 0.5, 0.9, 0.99]) {
      const cut = whole.subarray(0, Math.floor(whole.length * part))
      await expect(unpack(kind, cut)).rejects.toThrow(/cannot be unpacked|cut off/)
      await rm(inside, { recursive: true })
      await mkdir(inside)
    }
  })
})

test("zip: changed content is noticed", async () => {
  const bytes = zip([{ name: "a", content: "hello hello hello" }])
  // The CRC in the directory.
  const at = bytes.lastIndexOf(Buffer.from("PK\x01\x02", "latin1")) + 16
  bytes.writeUInt32LE((bytes.readUInt32LE(at) ^ 1) >>> 0, at)
  await expect(unpack("zip", bytes)).rejects.toThrow(/cut off or changed/)
})

test("tar: devices and second names of what is outside are refused, second names inside are not", async () => {
  await expect(unpack("tar", tarGz([{ name: "d", type: "3" }]))).rejects.toThrow(/device/)
  await expect(unpack("tar", tarGz([{ name: "h", type: "1", target: "../archive" }]))).rejects.toThrow(/leads out/)
  await expect(unpack("tar", tarGz([{ name: "h", type: "1", target: "none" }]))).rejects.toThrow(
    /not a file of the archive/,
  )
  await unpack(
    "tar",
    tarGz([
      { name: "a", content: "x" },
      { name: "h", type: "1", target: "a" },
    ]),
  )
  expect(await readFile(join(inside, "h"), "utf8")).toBe("x")
})

test("tar: a damaged header is noticed", async () => {
  const { gunzipSync, gzipSync } = await import("node:zlib")
  const plain = gunzipSync(tarGz([{ name: "a", content: "x" }]))
  plain.write("b", 0)
  await expect(unpack("tar", gzipSync(plain))).rejects.toThrow(/does not add up/)
})

test.each(["gnu", "pax", "ustar"])("tar of the system, format %s, with long names", async (format) => {
  const source = join(directory, "source")
  const deep = join("d".repeat(60), "e".repeat(60), format === "ustar" ? "file" : "f".repeat(120))
  await mkdir(join(source, deep, ".."), { recursive: true })
  await writeFile(join(source, deep), "deep", { mode: 0o755 })
  const file = join(directory, "system.tar.gz")
  const { exitCode } = Bun.spawnSync(["tar", `--format=${format}`, "-C", source, "-czf", file, "."])
  expect(exitCode).toBe(0)
  await untar(file, new UnpackedFolder(inside, installLimits))
  expect(await readFile(join(inside, deep), "utf8")).toBe("deep")
})
