import { expect, onTestFinished, test } from "vitest"
import { leftBehind, traces } from "../../../scripts/tests/traces.ts"
import { afterFile, endFile } from "../src/after-file.ts"

test("nothing is left where nothing was done", () => {
  expect(leftBehind(traces(), traces())).toEqual([])
})

test("a listener, a replaced global and a process that lives are told by their names", async () => {
  const before = traces()
  const listener = () => undefined
  process.on("SIGUSR2", listener)
  const { fetch } = globalThis
  globalThis.fetch = Object.assign(() => Promise.reject(new Error("no")), fetch)
  const child = Bun.spawn(["sleep", "1000"])
  onTestFinished(() => {
    process.off("SIGUSR2", listener)
    globalThis.fetch = fetch
    child.kill()
  })
  const living = process.platform === "linux" ? [`a process: ${child.pid} sleep 1000`] : []
  const left = new Set([...living, "listeners for SIGUSR2", "the global fetch"])
  expect(new Set(leftBehind(before, traces()))).toEqual(left)
  child.kill()
  await child.exited
  process.off("SIGUSR2", listener)
  globalThis.fetch = fetch
  expect(leftBehind(before, traces())).toEqual([])
})

test("what was to be done at the end of a file is done once, the last first", async () => {
  const done: string[] = []
  afterFile(() => done.push("first"))
  afterFile(async () => done.push("second"))
  await endFile()
  await endFile()
  expect(done).toEqual(["second", "first"])
})
