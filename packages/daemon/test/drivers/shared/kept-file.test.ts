import { appendFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { type Kept, MemoryGone, type NativeRef } from "../../../src/core/driver.ts"
import { holdsEntry } from "../../../src/drivers/claude/transcript.ts"
import { checkKept, KeptFile } from "../../../src/drivers/shared/kept-file.ts"
import { Confinement } from "../../../src/files/confinement.ts"
import { homeWith } from "../../credentials/home.ts"

const host = { reach: new Confinement() }
const line = (entry: object): string => `${JSON.stringify(entry)}\n`
const first = line({ type: "session", id: "s1", timestamp: "2026-11-19T04:00:00.000Z" })
const second = line({ type: "message", timestamp: "2026-11-19T04:00:01.000Z" })

function noted(content = first) {
  const home = homeWith({ "s1.jsonl": content })
  const file = join(home, "s1.jsonl")
  const ref: NativeRef = { id: "s1", home, durable: true }
  const told: (Kept | undefined)[] = []
  const session = (patch: { kept?: Kept }) => void told.push(patch.kept)
  const kept = new KeptFile(ref, { session }, host, () => file)
  return { file, ref, told, kept }
}

test("what was written is told when it has grown, with the time of its first entry", async () => {
  const { file, kept, told } = noted()
  await kept.look()
  await kept.look()
  appendFileSync(file, second)
  kept.last = "e2"
  await kept.look()
  const begun = "2026-11-19T04:00:00.000Z"
  expect(told).toEqual([
    { file, bytes: first.length, begun, last: undefined },
    { file, bytes: first.length + second.length, begun, last: "e2" },
  ])
})

test("more than was noted is whole, also when its last line is torn; less is not", async () => {
  const { file, ref, kept } = noted(first + second)
  await kept.look()
  expect(await checkKept(ref, host)).toEqual(ref.kept)
  appendFileSync(file, '{"type":"mess')
  expect(await checkKept(ref, host)).toEqual(ref.kept)
  truncateSync(file, first.length + second.length - 1)
  await expect(checkKept(ref, host)).rejects.toBeInstanceOf(MemoryGone)
  await expect(checkKept(ref, host, () => Promise.reject(new Error("unreadable")))).rejects.toBeInstanceOf(MemoryGone)
})

test("a file that was removed and begun anew is not the one that it was, however long it grows", async () => {
  const { file, ref, kept } = noted()
  await kept.look()
  rmSync(file)
  await kept.look()
  writeFileSync(file, second.repeat(9))
  await kept.look()
  expect(ref.kept?.bytes).toBe(second.length * 9)
  await expect(checkKept(ref, host)).rejects.toThrow("begun anew")
})

test("one that its agent wrote anew is whole when it holds what was last in it, and is noted as it is now", async () => {
  const { file, ref, kept } = noted(first + second)
  await kept.look()
  writeFileSync(file, second)
  const asked: Kept[] = []
  const holds = async (before: Kept) => asked.push(before) > 0
  expect(await checkKept(ref, host, holds)).toMatchObject({ bytes: second.length, begun: "2026-11-19T04:00:01.000Z" })
  expect(asked).toEqual([ref.kept])
})

test("nothing is said of one that is gone or elsewhere, of another session, or that was never noted", async () => {
  const { file, ref, kept } = noted(first + second)
  expect(await checkKept(ref, host)).toBeUndefined()
  await kept.look()
  truncateSync(file, 1)
  expect(await checkKept({ ...ref, id: "s2" }, host)).toBeUndefined()
  renameSync(file, `${file}.zst`)
  expect(await checkKept(ref, host)).toBeUndefined()
})

const entry = (uuid: string, parentUuid: string | null): string => line({ type: "user", uuid, parentUuid })

test.each<[string, string, boolean]>([
  ["all of it", entry("a", null) + entry("b", "a") + entry("c", "b"), true],
  ["what came before a summary left out", entry("b", null) + line({ type: "mode" }) + entry("c", "b"), true],
  ["begun anew by a process that lives on", entry("c", "b"), false],
  ["without its end", entry("a", null) + entry("b", "a"), false],
  ["its last line torn", entry("a", null) + entry("b", "a") + entry("c", "b").slice(0, -3), false],
  ["in a circle", entry("b", "c") + entry("c", "b"), false],
])("of a transcript of Claude Code, %s", async (_, content, whole) => {
  const { file } = noted(content)
  expect(await holdsEntry({ file, bytes: 0, last: "c" }, host)).toBe(whole)
})
