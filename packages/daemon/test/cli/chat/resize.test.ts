import { join } from "node:path"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { startDaemon, type TestDaemon } from "../../harness/daemon.ts"
import { cleanEnvironment, temporaryFolder } from "../spawn.ts"
import { openScreen } from "./screen.ts"

let daemon: TestDaemon
const folder = temporaryFolder()
beforeAll(async () => {
  daemon = await startDaemon()
})
afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const env = () => ({
  SANDBOX_AGENT_URL: daemon.url,
  SANDBOX_AGENT_TOKEN: daemon.token,
  SANDBOX_AGENT_DATA_DIR: join(folder.path, "data"),
  NO_COLOR: "1",
})
/** xterm.js is the screen of these tests, and of VS Code. */
const options = () => ({ cwd: folder.path, env: { ...env(), TERM_PROGRAM: "vscode" } })

const sizes = [44, 120, 30, 62, 80]
const draft = [
  "one line that is being written, and that is longer than some windows are",
  "a second one, not much shorter than the one above it, and the cursor is in",
  "the third",
]
/** As a window of this width shows what is being written. */
const laidOut = (columns: number): string => {
  const cut = (line: string): string[] => line.match(new RegExp(`.{1,${columns - 3}}`, "g")) ?? []
  return draft
    .flatMap((line, i) => cut(line).map((row, j) => `${i + j === 0 ? "› " : "  "}${row}`.trimEnd()))
    .join("\n")
}
const trimmed = (text: string): string => text.replace(/[ \t]+$/gm, "").trimEnd()

test("what is written below the conversation is laid out anew, once, in a window of another width", async () => {
  await using shown = openScreen(["chat", "mock", "hello there"], options())
  await shown.until(/— \d/)
  shown.type(`\x1b[200~${draft.join("\n")}\x1b[201~`)
  await shown.until("the third")
  for (const columns of sizes) {
    shown.resize(columns, 24)
    await shown.until(new RegExp(`^› ${draft[0]?.slice(0, columns - 3)}$`, "m"))
    const [, rest] = trimmed(shown.text()).split(/— \d\.\d s\n/)
    expect(rest).toBe(`${laidOut(columns)}\nmock · build — /help`)
  }
})

test("a window that changes its size while the agent speaks loses no word, and ends with one bottom", async () => {
  await using shown = openScreen(["chat", "mock", "/echo before\n/flood 120 60\n/echo after"], options())
  await shown.until("before")
  for (const columns of sizes) {
    const said = /(\d+):\d{13}\.\d{3}\s*\n\n●/
    const before = said.exec(shown.text())?.[1]
    shown.resize(columns, 24)
    while (said.exec(await shown.until(said))?.[1] === before) await shown.drawn()
  }
  const text = await shown.until(/^after$[\s\S]*— \d/m)
  const words = new Set(text.match(/\b\d+(?=:\d{13}\.\d{3})/g))
  expect([...words]).toEqual(Array.from({ length: 120 }, (_, i) => String(i)))
  expect(trimmed(text)).toMatch(/\nafter\n— \d+\.\d s\n›\nmock · build — \/help$/)
})

const missing = Bun.which("tmux") === null
if (missing) console.warn("SKIPPED: tmux is not installed, so no window of it was resized (.ci/run installs it)")

test.skipIf(missing)("so it is in tmux, which wraps the row of the cursor too", async () => {
  const tmux = (...args: string[]) =>
    Bun.spawnSync(["tmux", "-S", join(folder.path, "sock"), "-f", "/dev/null", ...args], {
      cwd: folder.path,
      env: { ...cleanEnvironment, TERM: "xterm-256color", LC_ALL: "C.UTF-8" },
    })
  const screen = (): string => trimmed(tmux("capture-pane", "-p", "-S", "-", "-t", "t").stdout.toString())
  const shows = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(screen())) await Bun.sleep(20)
  }
  const words = Object.entries(env()).flatMap(([name, value]) => ["-e", `${name}=${value}`])
  tmux("new-session", "-d", "-s", "t", "-x", "80", "-y", "24", ...words, ...daemonProgram(), "chat", "mock", "hello")
  onTestFinished(() => void tmux("kill-server"))
  await shows(/— \d\.\d s\n›/)
  const line = "a line that is longer than some windows are, with the cursor at its end"
  tmux("send-keys", "-t", "t", "-l", line)
  await shows(/at its end/)
  for (const columns of sizes) {
    tmux("resize-window", "-t", "t", "-x", String(columns), "-y", "24")
    await shows(new RegExp(`^› ${line.slice(0, columns - 3).trimEnd()}$[^]*/help$`, "m"))
    const [, rest] = screen().split(/— \d\.\d s\n/)
    expect(rest?.replaceAll(/\n {2}(?=\S| \S)/g, "").replaceAll(" ", "")).toBe(
      `› ${line}\nmock · build — /help`.replaceAll(" ", ""),
    )
  }
})
