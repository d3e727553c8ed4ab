import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { fishQuoted, shellQuoted, shellWord } from "../src/shell-word.ts"

const texts = [
  "plain",
  "",
  " ",
  "two words",
  "it's",
  "'",
  "''",
  `'"'"'`,
  '"double"',
  "a\nb\n",
  "\n",
  "\ttab\r",
  "$HOME $(id) `id` $x",
  "a\\b\\",
  "\\'",
  "!! !x",
  "*?[a-z]{b,c}",
  "~/x",
  "#c",
  "a;b&c|d>e<f(g)",
  "A=b",
  "=ls",
  "%1",
  "-n",
  "--help",
  "--",
  "Grüße, 世界 🎉 é",
  "\u{1b}[31m\u{7f}\u{1}",
  "a".repeat(10_000),
]

/** What a program is given by this line: each of its arguments, ended by a NUL. */
function given(shell: string, line: string): string[] {
  const { stdout, stderr, exitCode } = Bun.spawnSync([shell, "-c", `printf '%s\\0' ${line}`])
  expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: "" })
  return stdout.toString().split("\0").slice(0, -1)
}

const installed = (shells: readonly string[]): string[] => shells.filter((shell) => Bun.which(shell) !== null)

// These two are everywhere; the others are asked where they are.
test.each(["sh", "bash", ...installed(["zsh", "ksh"])])("what is quoted for %s arrives as it was given", (shell) => {
  expect(given(shell, texts.map(shellQuoted).join(" "))).toEqual(texts)
  expect(given(shell, texts.map(shellWord).join(" "))).toEqual(texts)
  // As part of a word, and as the value of a variable.
  expect(given(shell, texts.map((text) => `--to=${shellWord(text)}`).join(" "))).toEqual(texts.map((t) => `--to=${t}`))
  for (const text of texts) {
    const { stdout } = Bun.spawnSync([shell, "-c", `X=${shellWord(text)}; printf '%s' "$X"`])
    expect(stdout.toString()).toBe(text)
  }
})

test("a line that is typed into a shell means the same as in a script", () => {
  const lines = texts.map((text) => `printf '%s\\0' ${shellWord(text)}\n`).join("")
  const { stdout } = Bun.spawnSync(["bash"], { stdin: Buffer.from(`set -H\n${lines}`) })
  expect(stdout.toString().split("\0").slice(0, -1)).toEqual(texts)
})

test("the first word of a line is a program, never a variable", () => {
  for (const text of ["A=b", "~", "#c"]) {
    const { stderr, exitCode } = Bun.spawnSync(["bash", "-c", shellWord(text)])
    expect(exitCode).toBe(127)
    expect(stderr.toString()).toContain(`${text}: command not found`)
  }
})

test("only what needs quotes has them", () => {
  expect(["/usr/bin/a-b_c", "user@host:/x,y", "--flag", "C++"].map(shellWord)).toEqual([
    "/usr/bin/a-b_c",
    "user@host:/x,y",
    "--flag",
    "C++",
  ])
  expect(shellWord("it's")).toBe(`'it'\\''s'`)
})

test("fish is given its own quotes", () => {
  expect(fishQuoted("it's a \\ here")).toBe("'it\\'s a \\\\ here'")
  if (Bun.which("fish") !== null) expect(given("fish", texts.map(fishQuoted).join(" "))).toEqual(texts)
})

test("nothing else quotes for a shell", () => {
  const packages = join(import.meta.dirname, "../..")
  const homes = ["schema/src/shell-word.ts", "sandbox-agent/src/shell-word.gen.ts"]
  const elsewhere = [...new Bun.Glob("*/src/**/*.{ts,tsx}").scanSync(packages)].filter(
    (file) =>
      !homes.includes(file) && /replace(?:All)?\((?:"'"|\/'\/g)/.test(readFileSync(join(packages, file), "utf8")),
  )
  expect(elsewhere).toEqual([])
})
