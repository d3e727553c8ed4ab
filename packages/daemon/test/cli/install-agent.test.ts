import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { program } from "@sandbox-agent/test-agents/vendor-server"
import { describe, expect, test } from "vitest"
import { version as ownVersion } from "../../src/cli/version.ts"
import { installTable } from "../../src/registry/installable.ts"
import { claudeOf, claudeProgram, openMirror, packageOf } from "./install-mirror.ts"
import { cli, temporaryFolder } from "./spawn.ts"

const jsonLines = (text: string) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown> & { type: string })

const times = (asked: readonly string[], path: string): number => asked.filter((one) => one === path).length

describe("one agent", () => {
  test("in a pipe: a line for each step, then the result; the program is there and runs", async () => {
    using mirror = openMirror(claudeOf("2.1.400"))
    using folder = temporaryFolder()
    const { code, stdout, stderr } = await cli(["install-agent", "claude", "--data-dir", folder.path], mirror)
    const path = join(folder.path, "bin/claude/2.1.400/claude")
    expect(stdout).toBe(`claude\t2.1.400\tmanaged\t${path}\n`)
    expect(code).toBe(0)
    expect(stderr).toContain(`claude: download (vendor): ${mirror.url}${claudeProgram("2.1.400")}\n`)
    expect(stderr).toContain("claude: activate (vendor): 2.1.400\n")
    // The registry was asked first, and what it said is told.
    expect(stderr).toMatch(/^claude: a source of an agent failed: npm: .*404/m)
    expect(stderr).not.toContain("\x1b")
    expect(Bun.spawnSync([path, "--version"]).stdout.toString()).toContain("2.1.400")
  })

  test("for agents that run as another user it goes where they can reach it", async () => {
    using mirror = openMirror(claudeOf("2.1.400"))
    using folder = temporaryFolder()
    const env = {
      ...mirror.env,
      SANDBOX_AGENT_DATA_DIR: join(folder.path, "data"),
      SANDBOX_AGENT_AGENT_USER: "someone",
    }
    const { stdout } = await cli(["install-agent", "claude"], { env })
    expect(stdout).toContain(join(folder.path, "data-someone/bin/claude/2.1.400/claude"))
  })

  test("again: nothing is downloaded, unless asked for; a version pins", async () => {
    using mirror = openMirror({ ...claudeOf("2.1.399"), ...claudeOf("2.1.400") })
    using folder = temporaryFolder()
    const env = { ...mirror.env, SANDBOX_AGENT_DATA_DIR: folder.path }
    const install = async (...flags: string[]) => {
      const { code, stdout } = await cli(["install-agent", "claude", "--json", ...flags], { env })
      expect(code).toBe(0)
      return jsonLines(stdout).at(-1)
    }
    const done = { type: "install.done", agent: "claude", installed: true, source: "managed" }
    expect(await install()).toMatchObject({ ...done, version: "2.1.400", downloaded: true })
    expect(await install()).toMatchObject({ ...done, version: "2.1.400", downloaded: false })
    expect(await install("--version=v2.1.400")).toMatchObject({ ...done, downloaded: false })
    expect(times(mirror.asked, claudeProgram("2.1.400"))).toBe(1)
    expect(await install("--reinstall")).toMatchObject({ ...done, downloaded: true })
    expect(times(mirror.asked, claudeProgram("2.1.400"))).toBe(2)
    expect(await install("--version", "2.1.399")).toMatchObject({ ...done, version: "2.1.399", downloaded: true })
    const lock = JSON.parse(readFileSync(join(folder.path, "bin/agents.lock"), "utf8"))
    expect(lock.agents.claude.version).toBe("2.1.399")
  })

  test("--json: progress with bytes, every line with its agent, nothing on stderr", async () => {
    const file = program("2.1.400")
    using mirror = openMirror(claudeOf("2.1.400", file))
    using folder = temporaryFolder()
    const args = ["install-agent", "claude", "--json", "--data-dir", folder.path]
    const { stdout, stderr } = await cli(args, mirror)
    const lines = jsonLines(stdout)
    expect(new Set(lines.map(({ agent }) => agent))).toEqual(new Set(["claude"]))
    expect(lines.slice(0, -1).every(({ type }) => type === "install.progress")).toBe(true)
    expect(lines).toContainEqual(
      expect.objectContaining({ phase: "download", source: "vendor", bytes: file.length, total: file.length }),
    )
    expect(lines.at(-1)).toMatchObject({ type: "install.done", notes: [expect.stringContaining("npm")] })
    expect(stderr).toBe("")
  })

  test("from a registry, by the package manager that we are", async () => {
    using mirror = openMirror()
    using folder = temporaryFolder()
    const paths = packageOf("@agentclientprotocol/codex-acp", "2.7.0", (path) => `${mirror.url}${path}`)
    for (const [path, answer] of Object.entries(paths)) mirror.set(path, answer)
    const { code, stdout, stderr } = await cli(["install-agent", "codex-acp", "--data-dir", folder.path], mirror)
    expect([code, stdout.split("\t").slice(0, 3)], stderr).toEqual([0, ["codex-acp", "2.7.0", "managed"]])
    expect(stderr).toContain("codex-acp: download (npm): @agentclientprotocol/codex-acp@2.7.0\n")
  })

  test("the data directory is the server's: by XDG_DATA_HOME, and its user's alone", async () => {
    using mirror = openMirror(claudeOf("2.1.400"))
    using folder = temporaryFolder()
    const env = { ...mirror.env, XDG_DATA_HOME: folder.path }
    expect((await cli(["install-agent", "claude"], { env })).code).toBe(0)
    expect(statSync(join(folder.path, "sandbox-agent")).mode & 0o777).toBe(0o700)
    expect(readdirSync(join(folder.path, "sandbox-agent/bin"))).toContain("claude")
  })

  test("what is on PATH is used as it is", async () => {
    using mirror = openMirror()
    using folder = temporaryFolder()
    const path = join(folder.path, "own/claude")
    mkdirSync(join(folder.path, "own"))
    writeFileSync(path, program("2.0.1"))
    chmodSync(path, 0o755)
    const env = { ...mirror.env, PATH: `${folder.path}/own:/usr/bin:/bin` }
    const { stdout } = await cli(["install-agent", "claude", "--data-dir", `${folder.path}/data`], { env })
    expect(stdout).toBe(`claude\t2.0.1\tpath\t${path}\n`)
    expect(mirror.asked).toEqual([])
  })

  test("the agent that is part of us needs nothing", async () => {
    using folder = temporaryFolder()
    const data = join(folder.path, "data")
    const { code, stdout } = await cli(["install-agent", "mock", "--json", "--data-dir", data])
    expect([code, jsonLines(stdout)]).toEqual([
      0,
      [{ type: "install.done", agent: "mock", installed: true, version: ownVersion, downloaded: false }],
    ])
    expect(readdirSync(folder.path)).toEqual([])
  })

  test("two at once do the work once", async () => {
    using mirror = openMirror(claudeOf("2.1.400"))
    using folder = temporaryFolder()
    const args = ["install-agent", "claude", "--data-dir", folder.path]
    const both = await Promise.all([cli(args, mirror), cli(args, mirror)])
    expect(both.map(({ code }) => code)).toEqual([0, 0])
    expect(both[0]?.stdout).toBe(both[1]?.stdout)
    expect(times(mirror.asked, claudeProgram("2.1.400"))).toBe(1)
  })
})

describe("failures", () => {
  test("no source delivers: exit code 7, what was tried, nothing left", async () => {
    using mirror = openMirror()
    using folder = temporaryFolder()
    const args = ["install-agent", "claude", "--version", "2.1.400", "--data-dir", folder.path]
    const plain = await cli(args, mirror)
    expect([plain.code, plain.stdout]).toEqual([7, ""])
    expect(plain.stderr).toMatch(/error: claude could not be installed.*\n.*npm.*404\n.*vendor.*404\n/)
    expect(plain.stderr).toContain("hint: Set a mirror")
    const json = await cli([...args, "--json"], mirror)
    expect(json.code).toBe(7)
    expect(jsonLines(json.stdout).at(-1)).toMatchObject({
      type: "error",
      agent: "claude",
      problem: "urn:sandbox-agent:error:install_failed",
    })
    expect(JSON.parse(json.stderr)).toMatchObject({ type: "urn:sandbox-agent:error:install_failed", status: 500 })
    expect(readdirSync(join(folder.path, "bin/claude"))).toEqual([])
  })

  test("all goes on after a failure; the exit code is that of the first", async () => {
    using mirror = openMirror({ ...claudeOf("2.1.400") })
    using folder = temporaryFolder()
    const paths = packageOf("@agentclientprotocol/codex-acp", "2.7.0", (path) => `${mirror.url}${path}`)
    for (const [path, answer] of Object.entries(paths)) mirror.set(path, answer)
    const { code, stdout, stderr } = await cli(["install-agent", "all", "--data-dir", folder.path], mirror)
    expect(code).toBe(7)
    // The first and the last of the table.
    expect(
      stdout
        .trimEnd()
        .split("\n")
        .map((row) => row.split("\t")[0]),
    ).toEqual(["claude", "codex-acp"])
    expect(stderr.match(/^error: \S+ could not be installed/gm)).toHaveLength(installTable.size - 2)
    expect(stderr).toContain("5 of 7 could not be installed: codex, opencode, amp, pi, claude-agent-acp\n")
  })

  test("a data directory that cannot be", async () => {
    using folder = temporaryFolder()
    writeFileSync(join(folder.path, "file"), "")
    using mirror = openMirror(claudeOf("2.1.400"))
    const { code, stderr } = await cli(["install-agent", "claude", "--data-dir", `${folder.path}/file`], mirror)
    expect([code, stderr.split("\n")[0]]).toEqual([
      7,
      expect.stringContaining("error: claude could not be installed: "),
    ])
  })

  test.each([
    [["clode"], "claude, codex, opencode, amp, pi, claude-agent-acp, codex-acp, gemini, "],
    [["clode"], "; did you mean `claude`?"],
    [["constructor"], "these can: claude"],
    [[], "give one agent"],
    [["claude", "codex"], "give one agent"],
    [["all", "--version", "1.2.3"], "--version is of one agent"],
    [["claude", "--version", "1.x"], "is not an exact version"],
    [["claude", "--version"], "needs a value"],
  ])("%j is a mistake", async (args, part) => {
    using folder = temporaryFolder()
    const { code, stdout, stderr } = await cli(["install-agent", ...args, "--data-dir", folder.path])
    expect([code, stdout]).toEqual([2, ""])
    expect(stderr).toContain(part)
  })
})
