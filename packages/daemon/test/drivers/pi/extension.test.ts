import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { commonJsOf } from "../../../src/drivers/pi/common-js.ts"
import { extensionFile, extensionFiles } from "../../../src/drivers/pi/extension-file.ts"
import { SETTINGS_VARIABLE } from "../../../src/drivers/pi/launch.ts"
import { MARK } from "../../../src/drivers/pi/pending-requests.ts"
import { MCP_STATUS_KEY, STATUS_KEY } from "../../../src/drivers/pi/receive.ts"
import { scratch } from "../../harness/daemon.ts"

const folder = join(import.meta.dirname, "../../../src/drivers/pi/extension")

test("every file of the extension goes with it, but the one that has types alone", () => {
  const names = readdirSync(folder).map((name) => name.replace(/ts$/, "cjs"))
  expect(Object.keys(extensionFiles()).toSorted((a, b) => (a < b ? -1 : 1))).toEqual(
    names.filter((name) => name !== "api.cjs").toSorted((a, b) => (a < b ? -1 : 1)),
  )
})

test("nothing of it is left to be compiled, and each file finds the others", () => {
  const files = extensionFiles()
  for (const [name, text] of Object.entries(files)) {
    expect(text, name).not.toMatch(/^(?:import|export)\b/m)
    const needed = [...text.matchAll(/require\("(.+?)"\)/g)].map(([, one = ""]) => one)
    for (const one of needed) expect(one.startsWith("node:") || one.slice(2) in files, `${name}: ${one}`).toBe(true)
  }
  expect(commonJsOf('import a, { type B } from "./a.ts"\nexport default a\n')).toBe(
    'const a = require("./a.cjs");\nmodule.exports = a;\n',
  )
})

test("it and the driver know each other by the same words", () => {
  const text = readFileSync(join(folder, "sandbox-agent.ts"), "utf8")
  for (const word of [MARK, STATUS_KEY, MCP_STATUS_KEY, SETTINGS_VARIABLE]) expect(text).toContain(`"${word}"`)
})

test("it is laid out once, and readable by the agent alone", () => {
  const home = scratch()
  const host = { home, asAgent: <T>(work: () => T): T => work() }
  const file = extensionFile(host)
  expect(extensionFile(host)).toBe(file)
  expect(readdirSync(home)).toHaveLength(1)
  expect(readFileSync(file, "utf8")).toContain("registerTool")
})
