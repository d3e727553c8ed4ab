import { routes } from "@sandbox-agent/schema/contract/contract"
import { errorCodes, errors } from "@sandbox-agent/schema/error"
import { describe, expect, test } from "vitest"
import { exitCodeTable } from "../../src/cli/exit-codes.ts"
import { allCommands, helpFor } from "../../src/cli/help.ts"
import { wrap } from "../../src/cli/help-text.ts"
import { envOf, serverFlags } from "../../src/cli/server-flags.ts"
import { version } from "../../src/cli/version.ts"
import { builtinEntries } from "../../src/registry/builtin.ts"
import { installTable } from "../../src/registry/installable.ts"
import { cli } from "./spawn.ts"

const plain = (_: unknown, text: string): string => text
const help = (...words: string[]): string => helpFor(words, plain, 100)

describe("help", () => {
  test("the main page and that of the API name every command and its other names, those of every day first", () => {
    const page = help() + help("api")
    expect(help().split("\n").length).toBeLessThan(60)
    expect(help().indexOf("  run [agent] <prompt>")).toBeLessThan(help().indexOf("  server "))
    expect(help()).not.toContain("sessions withdraw-message")
    for (const command of allCommands)
      for (const words of [command.words, ...(command.aliases ?? [])]) expect(page).toContain(words.join(" "))
  })

  test.each(allCommands.map((c) => [c.words.join(" "), c] as const))(
    "%s: usage, arguments and flags",
    (words, command) => {
      const page = help(...command.words)
      expect(page).toContain(`Usage: sandbox-agent ${words}`)
      for (const flag of command.flags) expect(page).toContain(`--${flag.name}`)
      for (const argument of command.arguments) expect(page).toContain(argument.name)
      for (const example of command.examples ?? []) expect(page).toContain(example)
      expect(help("api", ...command.words)).toBe(page)
    },
  )

  test("a group has the commands that go by another name, and no flag says the same twice", () => {
    expect(help("agents")).toContain("agents install <agent>")
    expect(help("agents")).toContain("(also `install-agent`)")
    for (const command of allCommands) expect(help(...command.words)).not.toMatch(/(\bJSON, or @FILE\b).*\1/)
  })

  test.each(["--version", "-V", "-v", "version"])("%s", async (word) => {
    expect(await cli([word])).toEqual({ code: 0, stdout: `sandbox-agent ${version}\n`, stderr: "" })
  })

  test("every agent that can be installed is named, and completed", () => {
    const page = help("install-agent").replaceAll(/\s+/g, " ")
    const agents = [...installTable.keys(), ...builtinEntries.map(({ id }) => id)]
    expect(new Set(agents).size).toBe(20)
    for (const agent of agents) expect(page).toMatch(new RegExp(`[ ,|]${agent}[ ,|]`))
  })

  test("exit codes are those of the error table", () => {
    const page = help("exit-codes")
    for (const code of errorCodes)
      expect(exitCodeTable().find((row) => row.exit === errors[code].exit)?.meaning).toContain(code)
    for (const { exit, meaning } of exitCodeTable()) {
      expect(page).toMatch(new RegExp(`^ +${exit} `, "m"))
      expect(page.replaceAll(/\s+/g, " ")).toContain(meaning)
    }
    expect(new Set(exitCodeTable().map((row) => row.exit)).size).toBe(exitCodeTable().length)
  })

  test("environment variables", () => {
    const page = help("environment")
    for (const flag of serverFlags) expect(page).toContain(envOf(flag.name))
    expect(page).toContain("SANDBOX_AGENT_URL")
  })

  test("lines stay within the width where words allow it", () => {
    expect(wrap("one two three\nfour", 8)).toEqual(["one two", "three", "four"])
  })
})

test("no help speaks in status codes", () => {
  const speaking = allCommands.flatMap(({ words }) => {
    const help = helpFor(words, (_, text) => text, 100)
    return /\b[2-5]\d\d (?:without|with|from)\b|(?:\bis|\bgives|\() ?[2-5]\d\d\b/.test(help) ? [words.join(" ")] : []
  })
  expect(speaking).toEqual([])
})

describe("the executable", () => {
  test.each([[["--version"]], [["-V"]], [["sessions", "list", "--version"]], [["daemon", "-V"]], [["server", "-V"]]])(
    "%j is the version",
    async (args) => {
      expect(await cli(args)).toEqual({ code: 0, stdout: `sandbox-agent ${version}\n`, stderr: "" })
    },
  )

  test.each([
    [[], "Usage: sandbox-agent <command>"],
    [["--help"], "Usage: sandbox-agent <command>"],
    [["help"], "Usage: sandbox-agent <command>"],
    [["--port", "1", "-h"], "Usage: sandbox-agent server"],
    [["server", "--help"], "Usage: sandbox-agent server"],
    [["help", "run"], "Usage: sandbox-agent run"],
    [["run", "mock", "-h"], "Usage: sandbox-agent run"],
    [["daemon", "--help"], "daemon status"],
    [["help", "sessions"], "sessions get-items"],
    [["sessions", "get-messages", "--help"], "Usage: sandbox-agent sessions get-items"],
    [["api", "--help"], "Every endpoint is a command"],
    [["help", "api"], "Every endpoint is a command"],
    [["agents", "install", "mock", "--help"], "--version V"],
    [["api", "agents", "install", "mock", "--help"], "Usage: sandbox-agent install-agent"],
  ])("%j is help", async (args, part) => {
    const { code, stdout, stderr } = await cli(args)
    expect([code, stderr]).toEqual([0, ""])
    expect(stdout).toContain(part)
  })

  test.each([
    [["help", "sesions"], "did you mean `sessions`"],
    [["api"], "Every endpoint"],
    [["daemon"], "daemon status"],
    [["daemon", "strat"], "daemon start"],
  ])("%j is a mistake", async (args, part) => {
    const { code, stdout, stderr } = await cli(args)
    expect([code, stdout]).toEqual([2, ""])
    expect(stderr).toContain(part)
  })

  test("no route is without a summary to show", () => {
    for (const route of routes) expect(route.summary).not.toBe("")
  })

  test("wrong settings of the server are told before it starts", async () => {
    const { code, stderr } = await cli(["--prot", "1"])
    expect(code).toBe(2)
    expect(stderr).toBe("error: unknown flag `--prot`; did you mean `--port`?\nhint: see `sandbox-agent help server`\n")
    const json = await cli(["daemon", "start", "--port=x", "--json"])
    expect(JSON.parse(json.stderr)).toMatchObject({ status: 400 })
  })
})
