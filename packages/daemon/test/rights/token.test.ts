import { chmodSync, readFileSync } from "node:fs"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { afterAll, beforeAll, expect, test } from "vitest"
import { tokenSocket } from "../../src/cli/token-socket.ts"
import { scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { childrenOf } from "../supervisor/processes.ts"
import { inShell, ways, words } from "./agent-shell.ts"
import { isRoot, unprivileged } from "./users.ts"

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startDaemon()
  await daemon.api.create("spy", { permissionMode: "bypass" })
  await daemon.api.turn("spy", "hello")
})
afterAll(() => daemon?.stop())

const asked = (from: TestDaemon) => words("daemon", "token", "--data-dir", from.dataDir)
const nothing = (text: string, token: string) => expect(text).not.toContain(token)

test("a command of the daemon's user gets the token", async () => {
  const command = [...daemonProgram(), "daemon", "token", "--data-dir", daemon.dataDir]
  const asking = Bun.spawn(command, { env: process.env })
  expect([await asking.stdout.text(), await asking.exited]).toEqual([`${daemon.token}\n`, 0])
})

for (const [name, way] of Object.entries(ways))
  test(`a process of an agent does not get the token: ${name}`, async () => {
    const said = await inShell(daemon, "spy", asked(daemon), way)
    expect(said).toMatch(/process \d+ \(.+\) belongs to an agent of this daemon/)
    nothing(said, daemon.token)
    expect(daemon.stderr()).toContain("the token was asked for and not given")
  })

/** Connects in a child that is gone before the daemon looks, which is halted meanwhile; the parent reads. */
const byADeadChild = (path: string, pid: number) => `perl -e '
use Socket; socket(my $s, PF_UNIX, SOCK_STREAM, 0) or die; kill "STOP", ${pid};
if (!fork) { connect($s, sockaddr_un("${path}")) or die "$!"; exit }
wait; syswrite $s, "token\\n"; kill "CONT", ${pid}; print <$s>'`

test("a process of an agent does not get the token by a child that connects and ends", async () => {
  const said = await inShell(daemon, "spy", byADeadChild(tokenSocket(daemon.dataDir), daemon.pid))
  expect(said).toContain("connected and is gone")
  nothing(said, daemon.token)
})

test.skipIf(!isRoot)(
  "another user does not get the token, also where the modes of the files would let it",
  async () => {
    const path = tokenSocket(daemon.dataDir)
    const ask = () => Bun.spawnSync([...unprivileged, "perl", "-e", reading(path)]).stdout.toString()
    expect(ask()).toContain("Permission denied")
    chmodSync(daemon.dataDir, 0o755)
    chmodSync(path, 0o666)
    const said = ask()
    expect(said).toContain("for its own user (0), not for user 65534")
    nothing(said, daemon.token)
  },
)

const reading = (path: string) =>
  `use Socket; socket(my $s, PF_UNIX, SOCK_STREAM, 0); connect($s, sockaddr_un("${path}")) or do { print "$!"; exit }; syswrite $s, "token\\n"; print <$s>`

test("a token that was given as an argument is shown to nobody", async () => {
  const token = "given-as-an-argument"
  await using other = await startDaemon({ token, flags: ["--token", token] })
  for (const file of ["cmdline", "environ"]) nothing(readFileSync(`/proc/${other.pid}/${file}`, "latin1"), token)
  expect(await other.api.ok("GET", "/v1/sessions")).toEqual({ sessions: [] })
  await other.api.create("spy")
  await other.api.turn("spy", "hello")
  for (const pid of childrenOf(other.pid)) nothing(readFileSync(`/proc/${pid}/environ`, "latin1"), token)
})

test.skipIf(!isRoot)("an agent of the same user cannot look into the daemon", async () => {
  const dataDir = scratch()
  Bun.spawnSync(["chown", "nobody", dataDir])
  const behind = `exec ${unprivileged.join(" ")} env HOME=${dataDir}`
  await using other = await startDaemon({ dataDir, behind })
  await other.api.create("spy", { permissionMode: "bypass", directory: dataDir })
  const files = ["environ", "maps", "mem", "fd/0", "auxv"]
  const looks = files.map((file) => `head -c 1 /proc/${other.pid}/${file} >/dev/null || echo closed ${file}`)
  const seen = await inShell(other, "spy", `id -un; ${looks.join("; ")}`)
  expect(seen.split("\n").filter((line) => !line.startsWith("head"))).toEqual([
    "nobody",
    ...files.map((file) => `closed ${file}`),
    "",
  ])
  // What the daemon itself opens by its descriptors goes on.
  const data = Buffer.from("a text").toString("base64")
  await other.api.send("spy", "look", { attachments: [{ data, mime: "text/plain", filename: "a.txt" }] })
})
