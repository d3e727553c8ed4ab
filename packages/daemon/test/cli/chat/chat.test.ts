import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { keptPort } from "@sandbox-agent/test-agents/kept-port"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../../harness/daemon.ts"
import { cli, temporaryFolder } from "../spawn.ts"
import { openScreen, type ShownCli } from "./screen.ts"

let daemon: TestDaemon
const folder = temporaryFolder()

beforeAll(async () => {
  daemon = await startDaemon()
})
afterAll(async () => {
  await daemon[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const options = () => ({
  cwd: folder.path,
  env: {
    SANDBOX_AGENT_URL: daemon.url,
    SANDBOX_AGENT_TOKEN: daemon.token,
    SANDBOX_AGENT_DATA_DIR: join(folder.path, "data"),
    NO_COLOR: "1",
  },
})

const chat = (...words: string[]): ShownCli => openScreen(["chat", "mock", ...words], options())

/** As a shell wants it. */
const clean = { bracketedPaste: false, cursorHidden: false, alternateScreen: false }

describe("a conversation", () => {
  test("markdown streams, a turn ends with what it took, and the terminal is left as it was", async () => {
    await using shown = chat("/echo # Title with `code`\n/echo - one **bold** word")
    expect(await shown.until(/— \d+\.\d s/)).toContain("› /echo # Title")
    expect(shown.text()).toMatch(/^Title with `code`$/m)
    expect(shown.text()).toMatch(/^• one bold word$/m)
    shown.type("second\r")
    await shown.until(/› second\n[\s\S]*second\n[\s\S]*— /)
    shown.type("\x04")
    expect(await shown.exited).toBe(0)
    expect(shown.modes).toEqual(clean)
    expect(shown.text()).toMatch(/`sandbox-agent attach chat-\w+` comes back to it$/)
    expect(shown.text()).not.toContain("/help")
  })

  test("permissions: once, always, and no with a reason", async () => {
    await using shown = chat("/permission echo one\n/permission echo two\n/permission echo two\n/permission echo three")
    await shown.until("$ echo one")
    shown.type("y")
    await shown.until("$ echo two")
    shown.type("a")
    await shown.until("$ echo three")
    shown.type("n")
    await shown.until("why not?")
    shown.type("not today\r")
    const text = await shown.until(/— \d/)
    expect(text).toContain("allowed once: ")
    expect(text).toContain("allowed for the session: ")
    expect(text).toMatch(/refused: .*echo three \(not today\)/)
    expect(text.match(/^✓ .*echo two/gm)).toHaveLength(2)
  })

  test("questions, and refusing one", async () => {
    await using shown = chat("/questions\n/question")
    await shown.until("Which size?")
    shown.type("7\r2")
    await shown.until("› 72")
    shown.type("\x15medium\r")
    await shown.until("Which toppings?")
    shown.type("1, olives\r")
    await shown.until("Anything else?")
    shown.type("no\r")
    await shown.until('[["Medium"],["Cheese","Olives"],["no"]]')
    await shown.until("number or label")
    shown.type("\x1b")
    await shown.until("Question rejected.")
    // A line that is being written when the agent asks comes back after it.
    shown.type("/sleep 300\n/question\r")
    await shown.until("● ")
    shown.type("half a line")
    await shown.until("number or label; Esc refuses\n› \n")
    shown.type("\x1b")
    await shown.until("› half a line")
  })

  test("what is sent while the agent works waits; Esc stops the turn and the next one runs", async () => {
    await using shown = chat("/sleep 100000")
    await shown.until("Esc stops")
    shown.type("next\r")
    await shown.until("waits: next")
    shown.type("\x1b")
    await shown.until(/— stopped · .*[\s\S]*› next[\s\S]*— /)
    shown.type("/sleep 100000\r")
    await shown.until(/next\n— [\s\S]*› \/sleep 100000\n● working/)
    shown.type("\x03")
    await shown.until(/— stopped[\s\S]*— stopped/)
  })

  test("a tool is one line with the change it made; a failed one is open", async () => {
    await using shown = chat("/edit a.txt one\n/edit a.txt two\n/run echo out; exit 3", "--permission-mode", "bypass")
    const text = await shown.until(/— \d/)
    expect(text).toMatch(/^✓ .*a\.txt$/m)
    expect(text).toMatch(/^ {2}−one$/m)
    expect(text).toMatch(/^ {2}\+two$/m)
    expect(text).toMatch(/^✗ .*echo out; exit 3$/m)
    expect(text).not.toContain(folder.path)
  })

  test("a file goes along by its path, and Tab completes it", async () => {
    writeFileSync(join(folder.path, "notes-for-you.md"), "hello")
    await using shown = chat()
    await shown.until("/help")
    shown.type("look at @notes-f\t")
    await shown.until("@notes-for-you.md")
    shown.type("\r")
    await shown.until("+ notes-for-you.md")
    await shown.until(/— \d/)
  })

  test("models and modes are listed and chosen, what is unknown is told, and other commands go to the agent", async () => {
    await using shown = chat()
    await shown.until("/help")
    shown.type("/model\r")
    await shown.until("● mock")
    shown.type("/mode plan\r")
    await shown.until("plan: in force now")
    await shown.until("· plan")
    shown.type("/mode nonsense\r")
    await shown.until("error: Mock has no mode nonsense")
    shown.type("/permissions bypas\r")
    await shown.until("did you mean `bypass`?")
    shown.type("/echo to the agent\r")
    await shown.until(/^to the agent$/m)
    shown.type("/quit\r")
    expect(await shown.exited).toBe(0)
  })

  test("what was typed is there again, also in the next conversation", async () => {
    {
      await using shown = chat()
      await shown.until("/help")
      shown.type("first thing\r")
      await shown.until(/— \d/)
      shown.type("\x1b[A")
      await shown.until("› first thing\n")
      shown.type("\x03\x04")
      await shown.exited
    }
    await using again = chat()
    await again.until("/help")
    again.type("\x1b[A")
    await again.until("› first thing")
    const file = join(folder.path, "data/chat-history.json")
    expect(JSON.parse(readFileSync(file, "utf8"))).toContain("first thing")
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test("it goes on after a restart of the daemon", async () => {
    using place = temporaryFolder()
    const port = String(await keptPort())
    const start = () => startDaemon({ dataDir: place.path, flags: ["--port", port] })
    const before = await start()
    const env = { ...options().env, SANDBOX_AGENT_URL: before.url }
    await using shown = openScreen(["chat", "mock", "hello"], { ...options(), env })
    await shown.until(/— \d/)
    await before.stop()
    await shown.until("connection lost, connecting again…")
    await using after = await start()
    await shown.until("connected again")
    const [session] = (await after.api.ok<{ sessions: { id: string }[] }>("GET", "/v1/sessions")).sessions
    await after.api.turn(session?.id ?? "", "from elsewhere")
    await shown.until(/› from elsewhere\n\nfrom elsewhere/)
  })
})

describe("the terminal is given back", () => {
  /** A shell runs it, and then says how it finds the terminal. */
  const shell = '"$@"; echo "exit $?"; stty -a; echo looked'
  const isGivenBack = async (shown: ShownCli, code: number): Promise<void> => {
    const text = await shown.until(/^looked$/m)
    expect(text).toContain(`exit ${code}`)
    expect(text).toMatch(/[^-]icanon/)
    expect(text).toMatch(/[^-]echo /)
    expect(text).toMatch(/[^-]isig/)
    expect(shown.modes).toEqual(clean)
    expect(text).not.toContain("Esc stops")
  }

  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("on %s", async (signal, code) => {
    await using shown = openScreen(["chat", "mock", "/sleep 100000"], { ...options(), shell })
    await shown.until("Esc stops")
    shown.kill(signal)
    await isGivenBack(shown, code)
  })

  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)("on %s while it asks, when there is no cursor", async (signal, code) => {
    await using shown = openScreen(["chat", "mock", "/permission echo asked"], { ...options(), shell })
    await shown.until("[y]es once")
    expect(shown.modes).toEqual({ bracketedPaste: true, cursorHidden: true, alternateScreen: false })
    shown.kill(signal)
    await isGivenBack(shown, code)
    expect(shown.text()).not.toContain("[y]es once")
  })

  test("when one leaves in the middle of a turn, which goes on", async () => {
    await using shown = openScreen(["chat", "mock", "/echo begun\n/permission echo asked"], { ...options(), shell })
    await shown.until("[y]es once")
    shown.type("\x04")
    await isGivenBack(shown, 0)
    expect(shown.text()).toMatch(/it goes on; `sandbox-agent attach chat-\w+` comes back to it/)
  })

  test("when one leaves", async () => {
    await using shown = openScreen(["chat", "mock"], { ...options(), shell })
    await shown.until("/help")
    shown.type("\x04")
    await isGivenBack(shown, 0)
  })

  test("when the program has a fault", async () => {
    const program = [process.execPath, join(import.meta.dirname, "crash-entry.ts")]
    await using shown = openScreen([], { ...options(), shell, program })
    await shown.until("ready")
    shown.type("x")
    await isGivenBack(shown, 70)
    expect(shown.text()).toContain("a fault of ours")
  })
})

describe("attach", () => {
  test("shows what was said, asks what is open, and follows what others say", async () => {
    const { api } = daemon
    await api.create("shared")
    await api.turn("shared", "before")
    await api.send("shared", "/permission echo asked")
    await api.until("shared", "permission.requested")
    await using shown = openScreen(["attach", "shared"], options())
    await shown.until("$ echo asked")
    expect(shown.text()).toMatch(/› before\n\nbefore/)
    shown.type("y")
    await shown.until(/^✓ .*echo asked/m)
    await api.turn("shared", "from elsewhere")
    await shown.until(/› from elsewhere\n\nfrom elsewhere/)
    await api.terminate("shared")
    expect(await shown.exited).toBe(0)
    expect(shown.text()).toContain("the session has ended")
  })

  test("a session that is not there, and no terminal", async () => {
    const env = options().env
    await daemon.api.create("there")
    await using shown = openScreen(["attach", "ther"], options())
    expect(await shown.exited).toBe(4)
    expect(shown.text()).toContain("did you mean `there`?")
    await daemon.api.create("over")
    await daemon.api.terminate("over")
    await using ended = openScreen(["attach", "over"], options())
    expect(await ended.exited).toBe(5)
    expect(ended.text()).toContain("`sandbox-agent sessions resume over` brings it back")
    const piped = await cli(["attach", "there"], { env })
    expect([piped.code, piped.stderr]).toEqual([2, expect.stringContaining("this needs a terminal")])
  })
})

test("without a daemon it has one of its own, and the session is there for `run --continue` and `attach`", async () => {
  using place = temporaryFolder()
  const env = { SANDBOX_AGENT_DATA_DIR: join(place.path, "data"), NO_COLOR: "1" }
  await using shown = openScreen(["chat", "mock", "in the chat"], { cwd: place.path, env })
  await shown.until(/— \d/)
  shown.type("\x04")
  expect(await shown.exited).toBe(0)
  const id = /attach (chat-\w+)/.exec(shown.text())?.[1] ?? ""
  const on = await cli(["run", "--continue", "and on"], { cwd: place.path, env })
  expect(on).toMatchObject({ code: 0, stdout: "and on\n" })
  const named = await cli(["run", "mock", "a new one", "--session", "mine"], { cwd: place.path, env })
  expect(named).toMatchObject({ code: 0, stdout: "a new one\n" })
  expect(await cli(["run", "again", "--session", "mine"], { cwd: place.path, env })).toMatchObject({
    stdout: "again\n",
  })
  await using back = openScreen(["attach", id], { cwd: place.path, env })
  await back.until(/› in the chat[\s\S]*› and on/)
  expect(back.text()).not.toContain("a new one")
})
