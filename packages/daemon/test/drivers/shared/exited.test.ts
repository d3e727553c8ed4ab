import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, expect, test } from "vitest"
import { reasonIn } from "../../../src/drivers/shared/exited.ts"

const folder = mkdtempSync(join(tmpdir(), "sandbox-agent-exited-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What a real runtime writes when this program fails. */
function stderrOf(program: readonly string[], name: string, source: string): string {
  const file = join(folder, name)
  writeFileSync(file, source)
  return Bun.spawnSync([...program, file], { env: { PATH: process.env.PATH ?? "", BUN_BE_BUN: "1" } }).stderr.toString()
}

const failing: [name: string, source: string, said: RegExp][] = [
  [
    "throws.mjs",
    'console.error("starting")\nthrow new TypeError("no key was given")\n',
    /^TypeError: no key was given$/,
  ],
  ["missing.cjs", 'require("./nowhere.cjs")\n', /^(?:Error|error): Cannot find module '\.\/nowhere\.cjs'/],
  [
    "code.cjs",
    'throw Object.assign(new Error("port taken"), { code: "EADDRINUSE", port: 1 })\n',
    /^(?:Error|error): port taken/,
  ],
  ["says.mjs", 'console.error("Error: of before")\nconsole.error("log in first")\nprocess.exit(1)\n', /^log in first$/],
]

const node = Bun.which("node")
const runtimes: [name: string, program: string[]][] = [
  ["Bun", [process.execPath]],
  ...(node === null ? [] : [["Node.js", [node]] as [string, string[]]]),
]

test.each(runtimes)("the line of stderr that says why, of programs on %s", (_, program) => {
  for (const [name, source, said] of failing) expect(reasonIn(stderrOf(program, name, source)), name).toMatch(said)
})

test("of a silent program there is none", () => {
  expect(reasonIn("")).toBeUndefined()
  expect(reasonIn("\n  \n")).toBeUndefined()
})
