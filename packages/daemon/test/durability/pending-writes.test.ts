import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { Store } from "../../src/store/store.ts"

const directory = mkdtempSync(join(tmpdir(), "pending-writes-"))
afterAll(() => rmSync(directory, { recursive: true }))

test("a row saved again before the commit is written once, as it was last, and after what came in between", async () => {
  const store = new Store({ kind: "memory", directory })
  const written: string[] = []
  const save = (row: string, state: string) => store.saveRow(row, () => written.push(`${row} ${state}`))
  save("one", "queued")
  save("two", "queued")
  store.write(() => written.push("in between"))
  save("one", "sending")
  expect(store.waitingChanges).toBe(3)
  await store.committed()
  expect(written).toEqual(["two queued", "in between", "one sending"])
  save("one", "taken")
  await store.committed()
  expect(written.at(-1)).toBe("one taken")
  expect(store.waitingChanges).toBe(0)
  store.close()
})

test("a commit that fails is tried again with all of it", async () => {
  const store = new Store({ kind: "memory", directory })
  const written: string[] = []
  let fails = true
  store.saveRow("one", () => written.push("one"))
  store.write(() => {
    if (fails) throw new Error("no")
  })
  store.saveRow("one", () => written.push("one, again"))
  store.flush()
  expect(written).toEqual([])
  fails = false
  await store.committed()
  expect(written).toEqual(["one, again"])
  store.close()
})
