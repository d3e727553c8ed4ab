import { readdirSync, writeFileSync } from "node:fs"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { disk, mountable } from "../harness/disk.ts"
import { cleanEnvironment, cli, startCli, temporaryFolder } from "./spawn.ts"
import { atTerminal } from "./terminal.ts"

const folder = temporaryFolder()
let daemon: TestDaemon
let env: Record<string, string>

beforeAll(async () => {
  daemon = await startDaemon()
  env = { SANDBOX_AGENT_URL: daemon.url, SANDBOX_AGENT_TOKEN: daemon.token, SANDBOX_AGENT_DATA_DIR: folder.path }
  await daemon.api.create("s")
})
afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

test.each([
  "help",
  "--version",
  "completions bash",
  "run mock hi",
  "run mock hi --json",
  "sessions list",
  "sessions list --json",
  "sessions stream-message s hi",
  "daemon status",
  "doctor",
  "fs tree /usr --depth 1",
  "processes run -- echo hi",
])("%s onto a full device is one line and exit code 1", async (words) => {
  const child = Bun.spawn(["sh", "-c", `exec "$0" "$@" > /dev/full`, ...daemonProgram(), ...words.split(" ")], {
    env: { ...cleanEnvironment, ...env },
    stderr: "pipe",
  })
  const [stderr, code] = await Promise.all([child.stderr.text(), child.exited])
  expect([code, stderr]).toEqual([1, "error: the output could not be written: no space is left there\n"])
})

test.skipIf(!mountable).each(["fs get", "fs read --output"])(
  "%s of more than the disk has room for is exit code 1 and leaves nothing",
  async (words) => {
    const full = disk("64k")
    const [file, copy] = [`${folder.path}/large`, `${full}/copy`]
    // A byte that finds no room in the last piece: the system takes the rest of it, and says so by the count alone.
    writeFileSync(file, Buffer.alloc(64 * 1024 + 1, "x"))
    const [group = "", command = "", ...output] = words.split(" ")
    const ended = await cli([group, command, file, ...output, copy], { env })
    expect(ended).toMatchObject({ code: 1, stderr: "error: the output could not be written: no space is left there\n" })
    expect(readdirSync(full)).toEqual([])
  },
)

test.each([
  ["a file in the place of the folder", (to: string) => ["get", "/etc", `${to}/file`], {}, "file (EEXIST)"],
  ["no `tar` to get one", (to: string) => ["get", "/etc", `${to}/etc`], { PATH: "/nonexistent" }, "not on PATH here"],
  ["no `tar` to put one", (to: string) => ["put", to, `${to}/put`], { PATH: "/nonexistent" }, "not on PATH here"],
])("a folder that cannot be copied is no fault of ours: %s", async (_, words, more, said) => {
  using to = temporaryFolder()
  writeFileSync(`${to.path}/file`, "")
  const ended = await cli(["fs", ...words(to.path)], { env: { ...env, ...more } })
  expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(said) })
  expect(readdirSync(to.path)).toEqual(["file"])
})

test("what is to be written into a folder by --output is a mistake, and no fault of ours", async () => {
  const ended = await cli(["fs", "read", "/etc/hostname", "--output", folder.path], { env })
  expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining("is a folder; name a file in it") })
})

test("Ctrl-C at the stream of a message says that its turn goes on, and how to stop it", async () => {
  const words = ["sessions", "stream-message", "s", "/sleep 100000"]
  const { code, screen } = await atTerminal(words, [["mock.sleep", "\x03"]], folder.path, env)
  expect(code).toBe(130)
  expect(screen).toContain("left; the turn goes on: `sandbox-agent sessions stream-events s` follows it")
  expect((await daemon.api.session("s")).status).toBe("running")
  await daemon.api.cancel("s")
})

test("Ctrl-C while a daemon starts: it was stopped, and that is said, or it had started before", async () => {
  const dataDir = `${folder.path}/starting`
  const child = startCli(["daemon", "start", "--port", "0"], { env: { SANDBOX_AGENT_DATA_DIR: dataDir } })
  while (!(await Bun.file(`${dataDir}/daemon.log`).exists())) await Bun.sleep(5)
  child.kill("SIGINT")
  const [stderr, code] = await Promise.all([child.stderr.text(), child.exited])
  if (code === 0) await startCli(["daemon", "stop"], { env: { SANDBOX_AGENT_DATA_DIR: dataDir } }).exited
  else expect([code, stderr]).toEqual([130, "interrupted; the daemon was stopped\n"])
})
