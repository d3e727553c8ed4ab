import { spawnSync } from "node:child_process"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { SandboxAgentClient } from "../src/sandbox-agent.ts"
import { chromiumProgram } from "./harness/chromium.ts"
import { TestDaemon, token } from "./harness/daemon.ts"
import { writeExecutable } from "./harness/executable.ts"
import { openPage } from "./harness/page.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))
const pages = join(root, "docs/sdks/typescript")
/** Beside the sources, so that they find the packages of this repository. */
const work = mkdtempSync(join(root, "packages/sandbox-agent/test/.docs-"))
let daemon: TestDaemon

beforeAll(async () => {
  daemon = await TestDaemon.start()
  writeExecutable(join(work, "bin/sandbox-agent"))
})
afterAll(async () => {
  await daemon?.[Symbol.asyncDispose]()
  rmSync(work, { recursive: true, force: true })
})

interface Snippet {
  name: string
  language: "ts" | "tsx"
  code: string
  /** What it prints, where the page says so. */
  output?: string
}

const fences = /^```(ts|tsx)\n([\s\S]*?)^```\n(?:\n```text\n([\s\S]*?)^```\n)?/gm
const snippets = readdirSync(pages)
  .filter((page) => page.endsWith(".md") && page !== "reference.md")
  .flatMap((page) =>
    [...readFileSync(join(pages, page), "utf8").matchAll(fences)].map(
      ([, language, code = "", output], at): Snippet => ({
        name: `${page.replace(".md", "")}-${at + 1}`,
        language: language as Snippet["language"],
        code,
        output,
      }),
    ),
  )

/** What a page takes as given. */
const given = "declare const baseUrl: string\ndeclare const token: string\ndeclare const directory: string\n"

test("every snippet of the pages is right by its types", () => {
  for (const { name, language, code } of snippets) writeFileSync(join(work, `${name}.${language}`), `${given}${code}`)
  const files = snippets.map(({ name, language }) => join(work, `${name}.${language}`))
  const client = "export const createRoot: (at: Element) => { render(what: unknown): void }"
  writeFileSync(join(work, "react-dom.d.ts"), `declare module "react-dom/client" { ${client} }`)
  const options = {
    extends: join(root, "tsconfig.json"),
    compilerOptions: {
      jsx: "react-jsx",
      lib: ["ESNext", "DOM", "DOM.Iterable"],
      types: ["node"],
      noUnusedLocals: false,
    },
    files: [...files, join(work, "react-dom.d.ts"), join(root, "packages/sandbox-agent/src/socket/ws.d.ts")],
    include: [],
  }
  writeFileSync(join(work, "tsconfig.json"), JSON.stringify(options))
  const tsc = join(root, "node_modules/typescript/bin/tsc")
  const { stdout, status } = spawnSync("node", [tsc, "-p", join(work, "tsconfig.json")], { encoding: "utf8" })
  expect(stdout).toBe("")
  expect(status).toBe(0)
})

describe("snippets of the pages run", () => {
  test.for(snippets.filter(({ language }) => language === "ts"))("$name", async ({ name, code, output }) => {
    const directory = mkdtempSync(join(tmpdir(), "sandbox-agent-snippet-"))
    const known = `const baseUrl = ${JSON.stringify(daemon.baseUrl)}, token = "${token}", directory = "${directory}"\n`
    const file = join(work, `run-${name}.ts`)
    // The agent that is built in answers for those that need a login.
    writeFileSync(file, known + code.replaceAll(/agent: "(claude|codex)"/g, 'agent: "mock"'))
    const ran = spawnSync(process.execPath, [file], {
      cwd: directory,
      env: { ...process.env, SANDBOX_AGENT_BIN: join(work, "bin/sandbox-agent") },
      encoding: "utf8",
      timeout: 50_000,
    })
    rmSync(directory, { recursive: true, force: true })
    expect(ran.stderr).toBe("")
    expect(ran.status).toBe(0)
    if (output !== undefined) expect(ran.stdout).toBe(output)
  })
})

test("the chat is of 60 lines at most, and runs in a real browser", { timeout: 120_000 }, async ({ skip }) => {
  const program = await chromiumProgram()
  if (program === undefined) return skip("no Chromium for this machine")
  const [chat] = snippets.filter(({ language }) => language === "tsx")
  expect(chat?.code.trimEnd().split("\n").length).toBeLessThanOrEqual(60)
  writeFileSync(join(work, "chat.tsx"), `${chat?.code}\nObject.assign(window, { start: true })\n`)
  const client = new SandboxAgentClient({ autoConnect: false, baseUrl: daemon.baseUrl, token })
  await client.createSession("chat", { agent: "mock" })
  const opened = await openPage(program, join(work, "chat.tsx"), daemon.baseUrl)
  try {
    const { page } = opened
    await page.goto(`${opened.baseUrl}/?token=${token}&session=chat`)
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
