import { mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { afterAll, expect, onTestFinished, test, vi } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { cleanEnvironment, cli } from "./spawn.ts"
import { atTerminal } from "./terminal.ts"

vi.setConfig({ testTimeout: 300_000 })

const folder = mkdtempSync(join(tmpdir(), "sandbox-agent-tmux-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const tmux = (...args: string[]) =>
  Bun.spawnSync(["tmux", "-S", join(folder, "sock"), "-f", "/dev/null", ...args], {
    env: { ...cleanEnvironment, TERM: "xterm" },
  })
const screen = () => tmux("capture-pane", "-p", "-t", "t").stdout.toString()
async function shows(pattern: RegExp): Promise<void> {
  while (!pattern.test(screen())) await Bun.sleep(50)
}

const missing = Bun.which("tmux") === null
if (missing) console.warn("SKIPPED: tmux is not installed, so nobody has attached to a terminal (.ci/run installs it)")

test.skipIf(missing)(
  "`terminals attach` is a real terminal: keys, size, the detach key, the way back, the exit code",
  async () => {
    await using daemon = await startDaemon()
    const env = { SANDBOX_AGENT_URL: daemon.url, SANDBOX_AGENT_TOKEN: daemon.token }
    const created = await cli(["terminals", "create", "--json", "--env", "PS1=> ", "--env", "ENV=", "--", "sh"], {
      env,
    })
    const { id } = JSON.parse(created.stdout) as { id: string }
    const terminal = () => daemon.api.ok<{ cols: number }>("GET", `/v1/terminals/${id}`)
    const attach = `${daemonProgram().join(" ")} terminals attach ${id}; echo code-$?`
    const words = Object.entries(env).flatMap(([name, value]) => ["-e", `${name}=${value}`])
    tmux("new-session", "-d", "-s", "t", "-x", "90", "-y", "20", ...words, "env PS1='outer ' ENV= sh")
    onTestFinished(() => void tmux("kill-server"))
    tmux("send-keys", "-t", "t", attach, "Enter")
    await shows(/^>$/m)
    tmux("send-keys", "-t", "t", "echo hi-$((1+1)); stty size", "Enter")
    await shows(/^hi-2\n20 90$/m)
    // A key that a shell without raw mode would keep for itself. The program says when it has the terminal: before that
    // the key is for nobody.
    tmux("send-keys", "-t", "t", "sh -c 'echo asleep-$((2+2)); exec sleep 1000'", "Enter")
    await shows(/^asleep-4$/m)
    tmux("send-keys", "-t", "t", "C-c")
    tmux("resize-window", "-t", "t", "-x", "70", "-y", "15")
    // What is typed goes another way than the size, and may be faster.
    while ((await terminal()).cols !== 70) await Bun.sleep(50)
    tmux("send-keys", "-t", "t", "clear; stty size; echo sized-$((1+2))", "Enter")
    await shows(/^15 70\nsized-3$/m)
    tmux("send-keys", "-t", "t", "C-]")
    await shows(/detached[\s\S]*code-0/)
    expect(await terminal()).toMatchObject({ status: "running", cols: 70, rows: 15 })
    tmux("send-keys", "-t", "t", `clear; ${attach}`, "Enter")
    await shows(/^15 70\nsized-3\n>$/m)
    tmux("send-keys", "-t", "t", "exit 5", "Enter")
    await shows(/code-5/)
  },
)

test("`terminals attach` gives the screen back when its daemon is killed, and says so of a program that ended with that", async () => {
  const dataDir = join(folder, "killed")
  mkdirSync(dataDir)
  const attach = async (daemon: TestDaemon, answers: [string, string][] = []) =>
    atTerminal(["terminals", "attach", id], answers, dataDir, {
      SANDBOX_AGENT_URL: daemon.url,
      SANDBOX_AGENT_TOKEN: daemon.token,
    })
  await using daemon = await startDaemon({ dataDir })
  const shell = `printf '\\033[?1049hready'; read end; kill -9 ${daemon.pid}; sleep 1000`
  const { id } = await daemon.api.ok<{ id: string }>("POST", "/v1/terminals", { shell })
  const cut = await attach(daemon, [["ready", "\r"]])
  expect(cut).toMatchObject({ code: 7, screen: expect.stringContaining(`terminals attach ${id}\` comes back`) })
  const [back, said] = ["\x1b[?1049l", "error: "].map((text) => cut.screen.indexOf(text, cut.screen.indexOf("ready")))
  expect(back).toBeGreaterThan(0)
  expect(said).toBeGreaterThan(back ?? 0)
  await daemon.exited
  await using next = await startDaemon({ dataDir })
  const over = await attach(next)
  expect([over.code, over.screen]).toEqual([137, expect.stringContaining("the program was ended with its daemon")])
})

test("`terminals attach` says what is wrong before it begins", async () => {
  await using daemon = await startDaemon()
  const env = { SANDBOX_AGENT_URL: daemon.url, SANDBOX_AGENT_TOKEN: daemon.token }
  expect(await cli(["terminals", "attach"], { env })).toMatchObject({ code: 2 })
  expect(await cli(["terminals", "attach", "proc_1"], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/needs a terminal/),
  })
})
