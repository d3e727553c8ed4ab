import { readdirSync, statSync, writeFileSync } from "node:fs"
import { expect, test } from "vitest"
import { daemonFile, liveDaemon, removeDaemonFile, writeDaemonFile } from "../../src/cli/daemon-file.ts"
import { processStartTime } from "../../src/cli/process-identity.ts"
import { temporaryFolder } from "./spawn.ts"

const record = {
  pid: process.pid,
  startTime: processStartTime(process.pid) ?? "",
  url: "http://127.0.0.1:1",
  tokenNeeded: true,
  version: "0",
}

test("a daemon is found while its process lives, for its user alone", () => {
  using folder = temporaryFolder()
  expect(liveDaemon(folder.path)).toBeUndefined()
  writeDaemonFile(folder.path, record)
  expect(liveDaemon(folder.path)).toEqual(record)
  expect(statSync(daemonFile(folder.path)).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder.path)).toEqual(["daemon.json"])
})

test("a file left behind does not count: the process is gone, or another has its number", async () => {
  using folder = temporaryFolder()
  const child = Bun.spawn(["sleep", "100"])
  const startTime = processStartTime(child.pid) ?? ""
  expect(startTime).not.toBe("")
  writeDaemonFile(folder.path, { ...record, pid: child.pid, startTime })
  expect(liveDaemon(folder.path)?.pid).toBe(child.pid)
  child.kill("SIGKILL")
  await child.exited
  expect(liveDaemon(folder.path)).toBeUndefined()
  writeDaemonFile(folder.path, { ...record, startTime: `${record.startTime}1` })
  expect(liveDaemon(folder.path)).toBeUndefined()
})

test.each(["", "{", "[]", "null", '{"pid":-1,"url":"x"}', '{"pid":1}', '{"url":"x"}'])("%j is no daemon", (text) => {
  using folder = temporaryFolder()
  writeFileSync(daemonFile(folder.path), text)
  expect(liveDaemon(folder.path)).toBeUndefined()
})

test("a daemon removes its own file only", () => {
  using folder = temporaryFolder()
  writeDaemonFile(folder.path, record)
  removeDaemonFile(folder.path, record.pid + 1)
  expect(liveDaemon(folder.path)).toEqual(record)
  removeDaemonFile(folder.path, record.pid)
  expect(readdirSync(folder.path)).toEqual([])
})
