import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { rounds } from "@sandbox-agent/test-agents/extent"
import fc from "fast-check"
import { expect, test } from "vitest"
import { filesDaemon, workspace } from "./files-api.ts"
import { pax, type RawEntry, rawArchive } from "./tar-bytes.ts"

const shared = filesDaemon((folder) => ({ flags: ["--fs-root", folder] }))

/** Few names, so that entries meet each other: a link here is a folder there. */
const name = fc
  .array(fc.constantFrom("a", "b", "c", "..", ".", "", "OUT", "x".repeat(120), "\xff"), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join("/"))
const entry = (outside: string): fc.Arbitrary<RawEntry[]> =>
  fc
    .record({
      name,
      type: fc.constantFrom("0", "0", "0", "1", "2", "2", "5", "5", "3", "6", "7", "S", "L", "K", "x", "g", "Z", "\0"),
      target: fc.oneof(name, fc.constantFrom(outside, `${outside}/kept`, "/", "..", "../..")),
      content: fc.oneof(fc.constant(""), fc.string({ maxLength: 40 }), fc.constant("y".repeat(70_000))),
      mode: fc.integer({ min: 0, max: 0o7777 }),
      by: fc.constantFrom("header", "pax", "long"),
    })
    .map(({ by, ...one }) => {
      const placed = { ...one, name: one.name.replace("OUT", outside), target: one.target.replace("OUT", outside) }
      if (by === "pax") return [pax({ path: placed.name, linkpath: placed.target }), { ...placed, name: "short" }]
      if (by === "long") return [{ name: "L", type: "L", content: `${placed.name}\0` }, placed]
      return [placed]
    })

test("no archive, however made, leaves its folder, stops the daemon or leaves a draft", async () => {
  const outside = workspace()
  writeFileSync(join(outside, "kept"), "kept")
  const before = statSync(join(outside, "kept"))
  let round = 0
  const attempt = async (entries: RawEntry[][], flips: number[]): Promise<void> => {
    const to = join(shared.folder, `r${round++}`)
    mkdirSync(to)
    const archive = rawArchive(...entries.flat())
    for (const flip of flips) archive[flip % archive.length] = flip & 0xff
    const { status } = await shared.fs.call("POST", "upload-batch", { path: to }, archive)
    expect([200, 400, 413], shared.daemon.stderr()).toContain(status)
    const drafts = readdirSync(to).filter((one) => one.startsWith(".sandbox-agent-"))
    expect(drafts).toEqual([])
    expect(readdirSync(outside)).toEqual(["kept"])
    const now = statSync(join(outside, "kept"))
    expect([readFileSync(join(outside, "kept"), "utf8"), now.nlink, now.mode, now.mtimeMs, now.ino]).toEqual([
      "kept",
      1,
      before.mode,
      before.mtimeMs,
      before.ino,
    ])
    expect(readdirSync(shared.folder)).toEqual([to.split("/").at(-1)])
    Bun.spawnSync(["chmod", "-R", "u+rwx", to])
    rmSync(to, { recursive: true, force: true })
  }
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry(outside), { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat(), { maxLength: 3 }),
      attempt,
    ),
    { numRuns: rounds(300, 5_000), seed: Number(process.env.FUZZ_SEED ?? 42), endOnFailure: true },
  )
  rmSync(outside, { recursive: true })
}, 600_000)
