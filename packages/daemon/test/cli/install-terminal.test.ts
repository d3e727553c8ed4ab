import { readdirSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { ProgressPrinter } from "../../src/cli/progress.ts"
import { claudeOf, claudeProgram, endless, openMirror, processesIn } from "./install-mirror.ts"
import { cli, startCli, temporaryFolder } from "./spawn.ts"
import { atTerminal } from "./terminal.ts"

test("a bar, then the result, and no line wider than the screen", async () => {
  using mirror = openMirror(claudeOf("2.1.400"))
  using folder = temporaryFolder()
  const { code, screen } = await atTerminal(["install-agent", "claude"], [], folder.path, mirror.env)
  expect(code).toBe(0)
  expect(screen).toMatch(/claude: download \[#{30}\] 100%/)
  const rows = screen.replaceAll("\x1b[K", "\n").split("\n")
  expect(rows.at(-2)).toBe(`claude 2.1.400 installed: ${folder.path}/bin/claude/2.1.400/claude`)
  for (const row of rows.filter((one) => /^claude: (resolve|download|check|activate) /.test(one)))
    expect(Bun.stringWidth(row)).toBeLessThan(100)
  const again = await atTerminal(["install-agent", "claude"], [], folder.path, mirror.env)
  expect(again.screen).toContain("claude 2.1.400 was there already")
})

test("Ctrl-C in the middle of a download: nothing half is left, and the next install is whole", async () => {
  using mirror = openMirror({ ...claudeOf("2.1.400"), [claudeProgram("2.1.400")]: endless })
  using folder = temporaryFolder()
  const args = ["install-agent", "claude", "--version", "2.1.400"]
  const { code, screen } = await atTerminal(args, [[" MiB", "\x03"]], folder.path, mirror.env)
  expect(code).toBe(130)
  expect(screen).not.toContain("error:")
  expect(readdirSync(join(folder.path, "bin/claude"))).toEqual([])
  for (const [path, answer] of Object.entries(claudeOf("2.1.400"))) mirror.set(path, answer)
  expect((await cli([...args, "--data-dir", folder.path], mirror)).code).toBe(0)
})

test("the version that was there survives an interrupted upgrade", async () => {
  using mirror = openMirror(claudeOf("2.1.399"))
  using folder = temporaryFolder()
  const args = ["install-agent", "claude", "--data-dir", folder.path]
  expect((await cli(args, mirror)).code).toBe(0)
  for (const [path, answer] of Object.entries(claudeOf("2.1.400"))) mirror.set(path, answer)
  mirror.set(claudeProgram("2.1.400"), endless)
  const child = startCli([...args, "--json"], mirror)
  let said = ""
  let asked = false
  for await (const piece of child.stdout) {
    said += new TextDecoder().decode(piece)
    // Once: the second signal would not wait.
    if (asked || !/"phase":"download","bytes":[1-9]/.test(said)) continue
    asked = true
    child.kill("SIGTERM")
  }
  expect(await child.exited).toBe(130)
  expect(said).not.toContain("install.done")
  expect(readdirSync(join(folder.path, "bin/claude")).sort()).toEqual(["2.1.399", "current"])
})

test("interrupted, the package manager is gone with the command, and `all` does not go on", async () => {
  using mirror = openMirror()
  using folder = temporaryFolder()
  const waiting = Promise.withResolvers<void>()
  for (const agent of ["claude-code-linux-x64", "claude-code-linux-arm64"])
    for (const slash of ["/", "%2f", "%2F"])
      mirror.set(`/npm/@anthropic-ai${slash}${agent}`, () => {
        waiting.resolve()
        return new Promise<Response>(() => {})
      })
  const child = startCli(["install-agent", "all", "--data-dir", folder.path], mirror)
  await waiting.promise
  expect(processesIn(folder.path).length).toBeGreaterThan(0)
  child.kill("SIGINT")
  expect(await child.exited).toBe(130)
  expect(processesIn(folder.path)).toEqual([])
  expect(await child.stderr.text()).not.toContain("codex")
})

test("in a pipe a step is told once, and once more with its size, however many pieces it has", async () => {
  let text = ""
  const printer = new ProgressPrinter({ tty: false, colour: false, width: 80 }, "x", async (more) => {
    text += more
  })
  await printer.show({ phase: "download", bytes: 0, source: "vendor", message: "http://a\x1b[2J\nb" })
  const total = 3 * 2 ** 20
  for (const bytes of [1, 2, total]) await printer.show({ phase: "download", bytes, total, source: "vendor" })
  await printer.show({ phase: "verify", bytes: 0, source: "vendor" })
  await printer.clear()
  const step = "x: download (vendor): http://a[2J b"
  expect(text).toBe(`${step}\n${step}, 3.0 MiB\nx: verify (vendor)\n`)
})
