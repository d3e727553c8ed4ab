import { closeSync, openSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { expect, test } from "vitest"
import { temporaryFolder } from "./spawn.ts"

/** What a server leaves in a file that its output goes to, and its log as well if `both`. */
async function inFile(both: boolean, ...flags: string[]): Promise<string> {
  using folder = temporaryFolder()
  const path = join(folder.path, "out.txt")
  const file = openSync(path, "a")
  const command = [...daemonProgram(), "server", "--port", "0", "--data-dir", join(folder.path, "data"), ...flags]
  const child = Bun.spawn(command, { env: process.env, stdin: "ignore", stdout: file, stderr: both ? file : "ignore" })
  closeSync(file)
  await expect.poll(() => readFileSync(path, "utf8")).toMatch(/http:\/\/127\.0\.0\.1:\d+/)
  child.kill("SIGTERM")
  await child.exited
  return readFileSync(path, "utf8")
}

test("a token that a server makes is shown wherever its output goes, with its address", async () => {
  const shown = /listening on http:\/\/127\.0\.0\.1:\d+\n[\s\S]*\n {2}token {6}[0-9a-f]{48}\n/
  expect(await inFile(false)).toMatch(shown)
  expect(await inFile(true)).toMatch(shown)
})

test("a server with a given token that shares one file with its log writes lines of the log alone", async () => {
  expect(await inFile(false, "--token", "given")).toContain("listening on http://")
  const lines = (await inFile(true, "--token", "given")).trim().split("\n")
  expect(lines.map((line) => JSON.parse(line).message)).toEqual(["listening", "stopping"])
})
