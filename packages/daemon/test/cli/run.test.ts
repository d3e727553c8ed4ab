import { existsSync, readdirSync, readFileSync } from "node:fs"
import { describe, expect, test } from "vitest"
import { cli, startCli, temporaryFolder } from "./spawn.ts"
import { atTerminal } from "./terminal.ts"

/** Servers whose environment names this folder: those our command started, and no others. */
function serversOf(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const [command, environment] = ["cmdline", "environ"].map((file) =>
          readFileSync(`/proc/${pid}/${file}`, "latin1"),
        )
        return command?.includes("\0server\0") && environment?.includes(`SANDBOX_AGENT_DATA_DIR=${folder}\0`)
      } catch {
        return false
      }
    })
}

async function noneLeft(folder: string): Promise<void> {
  while (serversOf(folder).length > 0) await Bun.sleep(20)
}

describe("run without a terminal", () => {
  test("prints the answer and leaves nothing behind", async () => {
    using folder = temporaryFolder()
    const env = { SANDBOX_AGENT_DATA_DIR: folder.path }
    expect(await cli(["run", "mock", "hello there"], { env })).toEqual({ code: 0, stdout: "hello there\n", stderr: "" })
    expect(serversOf(folder.path)).toEqual([])
    expect(existsSync(`${folder.path}/daemon.json`)).toBe(false)
  })

  test("the prompt may come from stdin, the events as lines", async () => {
    using folder = temporaryFolder()
    const env = { SANDBOX_AGENT_DATA_DIR: folder.path, SANDBOX_AGENT_NO_TOKEN: "1", SANDBOX_AGENT_PORT: "1" }
    const { code, stdout } = await cli(["run", "mock", "-", "--json"], { env, stdin: "from stdin" })
    expect(code).toBe(0)
    const events = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string })
    expect(events.at(-1)?.type).toBe("turn.ended")
    expect(stdout).toContain("from stdin")
  })

  test("permissions and questions are rejected with a note, unless a mode decides", async () => {
    using folder = temporaryFolder()
    const env = { SANDBOX_AGENT_DATA_DIR: folder.path }
    const asked = await cli(["run", "mock", "/permission echo done\n/question"], { env })
    expect(asked.stdout).toContain("Permission denied.")
    expect(asked.stdout).toContain("Question rejected.")
    expect(asked.stderr).toContain("no terminal to ask at: Run echo done; choose with --permission-mode")
    expect(asked.stderr).toContain("a question was rejected")
    const allowed = await cli(["run", "mock", "/permission echo done", "--permission-mode", "bypass"], { env })
    expect(allowed.stdout).toContain("[output] done")
    expect(allowed.stderr).toBe("")
    const kept = await cli(["run", "mock", "/permission echo done", "--permission-mode", "acceptEdits"], { env })
    expect(kept.code).toBe(0)
    expect(kept.stderr).toContain("Run echo done; --permission-mode acceptEdits does not allow it")
  })

  test("an agent that dies in its turn is told with what it said last", async () => {
    using folder = temporaryFolder()
    const env = { SANDBOX_AGENT_DATA_DIR: folder.path }
    const died = await cli(["run", "mock", "/crash 3"], { env })
    expect([died.code, died.stdout]).toEqual([1, expect.stringContaining("[stderr] mock-agent: a scripted crash\n")])
  })

  test("the session has the folder and modes that were given", async () => {
    using folder = temporaryFolder()
    const env = { SANDBOX_AGENT_DATA_DIR: folder.path }
    const { stdout } = await cli(["run", "mock", "/permission pwd", "--permission-mode=bypass", "--cwd", "/usr"], {
      env,
    })
    expect(stdout).toContain("[output] /usr")
    expect((await cli(["run", "mock", "x", "--mode", "nonsense"], { env })).code).toBe(2)
  })

  test.each([
    [["nope", "hi"], 2],
    [["mock"], 2],
    [["mock", " "], 2],
    [["mock", "a", "b"], 2],
    [["mock", "/crash 3"], 1],
    [["mock", "/error boom"], 1],
  ])("%j exits with %d", async (args, code) => {
    using folder = temporaryFolder()
    const ended = await cli(["run", ...args], { env: { SANDBOX_AGENT_DATA_DIR: folder.path } })
    expect(ended.code).toBe(code)
    expect(serversOf(folder.path)).toEqual([])
  })

  test("killed hard, it still takes its daemon with it", async () => {
    using folder = temporaryFolder()
    const child = startCli(["run", "mock", "started\n/hang"], { env: { SANDBOX_AGENT_DATA_DIR: folder.path } })
    const reader = child.stdout.getReader()
    await reader.read()
    expect(serversOf(folder.path)).toHaveLength(1)
    child.kill("SIGKILL")
    await child.exited
    await noneLeft(folder.path)
  })
})

describe("run at a terminal", () => {
  test("asks permissions and questions", async () => {
    using folder = temporaryFolder()
    const prompt = "/permission echo one\n/permission echo one\n/permission echo two\n/questions"
    const { code, screen } = await atTerminal(
      ["run", "mock", prompt],
      [
        ["[once/always/reject] ", "what?\r"],
        ["[once/always/reject] ", "always\r"],
        ["[once/always/reject] ", "reject\r"],
        ["Which size?", "2\r"],
        ["Which toppings?", "cheese,3\r"],
        ["Anything else?", "no\r"],
      ],
      folder.path,
    )
    expect(code).toBe(0)
    expect(screen).toContain("[output] one")
    expect(screen).toContain("Permission denied.")
    expect(screen).toContain('[["Medium"],["Cheese","Mushrooms"],["no"]]')
    expect(screen.split("allow?")).toHaveLength(4)
  })

  test("the first Ctrl-C cancels the turn", async () => {
    using folder = temporaryFolder()
    const { code, screen } = await atTerminal(["run", "mock", "/sleep 100000"], [["mock.sleep", "\x03"]], folder.path)
    expect(code).toBe(130)
    expect(screen).toContain("[turn ended] cancelled")
    expect(serversOf(folder.path)).toEqual([])
  })

  test("Ctrl-C at a question cancels the turn too", async () => {
    using folder = temporaryFolder()
    const { code, screen } = await atTerminal(["run", "mock", "/question"], [["number or label", "\x03"]], folder.path)
    expect(code).toBe(130)
    expect(screen).toContain("[turn ended] cancelled")
    expect(screen).not.toContain("error:")
  })

  test("the second Ctrl-C exits at once", async () => {
    using folder = temporaryFolder()
    const { code } = await atTerminal(
      ["run", "mock", "/hang"],
      [
        ["Hanging", "\x03"],
        ["Ctrl-C again exits", "\x03"],
      ],
      folder.path,
    )
    expect(code).toBe(130)
    await noneLeft(folder.path)
  })
})
