import { spawn, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { calls } from "@sandbox-agent/schema/openapi/calls"
import { names } from "@sandbox-agent/schema/openapi/names"
import { claudeBinary } from "@sandbox-agent/test-agents/claude"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { faultsOfPages } from "../../../scripts/docs/check.ts"
import { SandboxAgentClient } from "../src/sandbox-agent.ts"
import type { ModuleToRun, RanModule } from "./docs/run-modules.ts"
import { runBlocks } from "./docs/run-shell.ts"
import { allSnippets, asRun, root, type Snippet } from "./docs/snippets.ts"
import { chromiumProgram } from "./harness/chromium.ts"
import { TestDaemon, token } from "./harness/daemon.ts"
import { writeExecutable } from "./harness/executable.ts"
import { openPage } from "./harness/page.ts"

/** Beside the sources, so that they find the packages of this repository. */
const work = mkdtempSync(join(root, "packages/sandbox-agent/test/.docs-"))
const snippets = allSnippets()
const inLanguage = (...languages: readonly string[]): Snippet[] =>
  snippets.filter(({ language, notRun }) => languages.includes(language) && notRun === undefined)
let daemon: TestDaemon
let program: string

beforeAll(async () => {
  daemon = await TestDaemon.start("--agent-path", `claude=${claudeBinary()}`)
  program = writeExecutable(join(work, "bin/sandbox-agent"))
})
afterAll(async () => {
  await daemon?.[Symbol.asyncDispose]()
  rmSync(work, { recursive: true, force: true })
})

test("pages can be read, links lead somewhere, and the navigation has every page", () => {
  expect(faultsOfPages()).toEqual([])
})

/** What a page takes as given. */
const given = "declare const baseUrl: string\ndeclare const token: string\ndeclare const directory: string\n"

test("every snippet of the pages is right by its types", () => {
  // Also those that cannot run here.
  const found = snippets.filter(({ language }) => ["ts", "tsx"].includes(language))
  for (const { name, language, text } of found)
    writeFileSync(join(work, `${name}.${language}`), `${given}${text}\nexport {}\n`)
  const files = found.map(({ name, language }) => join(work, `${name}.${language}`))
  // The calls of the reference, each in a scope of its own.
  const scopes = Object.values(calls).map((call) => `{\n${call}\n}\n`)
  const client = 'import type { SandboxAgentClient } from "sandbox-agent"\ndeclare const client: SandboxAgentClient\n'
  writeFileSync(join(work, "calls.ts"), client + scopes.join(""))
  const reactDom = "export const createRoot: (at: Element) => { render(what: unknown): void }"
  writeFileSync(join(work, "react-dom.d.ts"), `declare module "react-dom/client" { ${reactDom} }`)
  const options = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      jsx: "react-jsx",
      lib: ["ESNext", "DOM", "DOM.Iterable"],
      types: ["node"],
      noUnusedLocals: false,
    },
    files: [
      ...files,
      join(work, "calls.ts"),
      join(work, "react-dom.d.ts"),
      join(root, "packages/sandbox-agent/src/socket/ws.d.ts"),
      join(root, "packages/sandbox-agent/src/sandbox/vendors.d.ts"),
    ],
    include: [],
  }
  writeFileSync(join(work, "tsconfig.json"), JSON.stringify(options))
  const tsc = join(root, "node_modules/typescript/bin/tsc")
  const { stdout, status } = spawnSync("node", [tsc, "-p", join(work, "tsconfig.json")], { encoding: "utf8" })
  expect(stdout).toBe("")
  expect(status).toBe(0)
})

describe("snippets of the pages run", () => {
  const found = inLanguage("ts")
  let running: Promise<ReadonlyMap<string, RanModule>> | undefined

  async function runAll(): Promise<ReadonlyMap<string, RanModule>> {
    const modules = found.map(({ name, text, meta }): ModuleToRun => {
      const directory = join(work, `in-${name}`)
      mkdirSync(directory)
      const file = join(work, `run-${name}.ts`)
      const known = `const baseUrl = ${JSON.stringify(daemon.baseUrl)}, token = "${token}", directory = "${directory}"\n`
      writeFileSync(file, `${known}${meta === "real-agent" ? text : asRun(text, daemon.baseUrl)}\nexport {}\n`)
      return { name, file, directory }
    })
    writeFileSync(join(work, "modules.json"), JSON.stringify(modules))
    const runner = join(import.meta.dirname, "docs/run-modules.ts")
    const child = spawn(process.execPath, [runner, join(work, "modules.json")], {
      env: { ...process.env, HOME: work, SANDBOX_AGENT_BIN: program, SANDBOX_AGENT_TOKEN: token },
      stdio: ["ignore", "pipe", "inherit"],
    })
    let told = ""
    child.stdout.on("data", (bytes) => {
      told += bytes
    })
    await new Promise((resolve) => child.on("close", resolve))
    const lines = told.split("\n").filter((line) => line !== "")
    return new Map(lines.map((line) => JSON.parse(line) as RanModule).map((ran) => [ran.name, ran]))
  }

  test.for(found)("$name", { timeout: 180_000 }, async ({ name, output }) => {
    running ??= runAll()
    const ran = (await running).get(name)
    expect(ran?.stderr).toBe("")
    if (output !== undefined) expect(ran?.stdout).toBe(output)
  })
})

describe("commands of the pages run, in the order they are read", () => {
  const byPage = Map.groupBy(inLanguage("sh"), ({ page }) => page)
  test.for([...byPage])("%s", { timeout: 180_000 }, async ([, blocks]) => {
    const ran = await runBlocks(blocks, {
      program: join(work, "bin"),
      baseUrl: daemon.baseUrl,
      token,
      data: daemon.data,
    })
    expect(ran.status, `${blocks[ran.printed.length - 1]?.name}: ${ran.stderr}`).toBe(0)
    blocks.forEach(({ name, output }, at) => {
      if (output !== undefined) expect(ran.printed[at], name).toBe(output)
    })
  })
})

describe("JSON of the pages", () => {
  test.for(inLanguage("json"))("$name is JSON, and what its title says", ({ text, meta }) => {
    const value: unknown = JSON.parse(text)
    const schema = names[meta.split(" ")[0] ?? ""]
    if (schema !== undefined) expect(schema.safeParse(value)).toMatchObject({ success: true })
  })
})

test("what is not run says why", () => {
  for (const { notRun, name } of snippets) if (notRun !== undefined) expect(notRun, name).toMatch(/\w+ \w+/)
})

test("the chat is of 60 lines at most, and runs in a real browser", { timeout: 120_000 }, async ({ skip }) => {
  const program = await chromiumProgram()
  if (program === undefined) return skip("no Chromium for this machine")
  const [chat] = inLanguage("tsx")
  expect(chat?.text.trimEnd().split("\n").length).toBeLessThanOrEqual(60)
  writeFileSync(join(work, "chat.tsx"), `${chat?.text}\nObject.assign(window, { start: true })\n`)
  const client = new SandboxAgentClient({ autoConnect: false, baseUrl: daemon.baseUrl, token })
  await client.createSession("chat", { agent: "mock" })
  const opened = await openPage(program, join(work, "chat.tsx"), daemon.baseUrl)
  try {
    const { page } = opened
    // With a query that it does not read: a change behind `#` alone would not load the page again.
    await page.goto(`${opened.baseUrl}/?again#token=${token}&session=chat`)
    await page.waitForFunction("document.querySelector('input')?.placeholder === 'idle'")
    await page.fill("input", "hello from a page")
    await page.press("input", "Enter")
    await page.waitForFunction("document.querySelector('li.assistant')?.innerText === 'hello from a page'")
    await page.fill("input", "/permission echo allowed")
    await page.press("input", "Enter")
    await page.click("button:text-is('Allow')")
    await page.waitForFunction("document.querySelector('li.tool')?.innerText.includes('allowed')")
    await page.fill("input", "/sleep 600000")
    await page.press("input", "Enter")
    await page.click("button:text-is('Stop')")
    await page.waitForFunction("document.querySelector('input')?.placeholder === 'idle'")
    expect(opened.errors).toEqual([])
  } finally {
    await opened.close()
  }
})
