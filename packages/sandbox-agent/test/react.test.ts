import { chromium, type Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { SandboxAgentClient } from "../src/sandbox-agent.ts"
import { chromiumProgram } from "./harness/chromium.ts"
import { TestDaemon, token } from "./harness/daemon.ts"
import { startFront } from "./harness/front.ts"

let daemon: TestDaemon
let client: SandboxAgentClient
let page: Page | undefined
let close = async () => {}
/** Event streams of sessions that are open now. */
let streams = 0
/** What the page did not catch. */
const errors: Error[] = []

/** What the published package has where there are no processes and no files. */
function asInPage(build: Bun.PluginBuilder): void {
  const files: Record<string, string> = {
    "#embedded": "embedded/unavailable.ts",
    "#local-files": "local/unavailable.ts",
    "#web-socket": "socket/native.ts",
  }
  build.onResolve({ filter: /^#/ }, ({ path }) => ({
    path: new URL(`../src/${files[path]}`, import.meta.url).pathname,
  }))
}

beforeAll(async () => {
  const program = await chromiumProgram()
  if (program === undefined) return
  daemon = await TestDaemon.start()
  client = new SandboxAgentClient({ autoConnect: false, baseUrl: daemon.baseUrl, token })
  const built = await Bun.build({
    entrypoints: [new URL("chat-page.js", import.meta.url).pathname],
    target: "browser",
    conditions: ["bun"],
    define: { "process.env.NODE_ENV": '"development"' },
    plugins: [{ name: "as in a page", setup: asInPage }],
  })
  if (!built.success) throw new Error(built.logs.join("\n"))
  const code = (await built.outputs[0]?.text()) ?? ""
  const front = await startFront(daemon.baseUrl, ({ path }, answer, pass) => {
    if (path === "/")
      return answer.setHeader("content-type", "text/html").end('<script type="module" src="/chat.js"></script>')
    if (path === "/chat.js") return answer.setHeader("content-type", "text/javascript").end(code)
    if (path.endsWith("/events/sse")) {
      streams++
      answer.on("close", () => streams--)
    }
    pass()
  })
  const browser = await chromium.launch({ ...program, args: ["--no-sandbox"] })
  close = async () => {
    await browser.close()
    front.stop()
  }
  for (const id of ["one", "two"]) await client.createSession(id, { agent: "mock" })
  page = await browser.newPage()
  page.on("pageerror", (error) => errors.push(error))
  await page.goto(front.baseUrl)
  await page.waitForFunction("window.start !== undefined")
  await page.evaluate(`window.start("${token}", ["one"])`)
}, 300_000)
afterAll(async () => {
  await close()
  await daemon?.[Symbol.asyncDispose]()
})

const shows = (on: Page, text: string) =>
  on.waitForFunction(`document.body.innerText.includes(${JSON.stringify(text)})`)
/** Of the agent: what was asked of it is shown, too. */
const says = (on: Page, text: string) =>
  on.waitForFunction(
    `[...document.querySelectorAll("li.assistant")].some((item) => item.innerText.includes(${JSON.stringify(text)}))`,
  )
const drawn = (on: Page) => on.evaluate<{ items: number; pending: number }>("({ ...window.drawn })")

test("a chat in a real browser: what is said is shown, and what waits is answered", async (context) => {
  if (page === undefined) return context.skip("no Chromium for this machine")
  await shows(page, "idle")
  await page.fill("input", "/echo typed in the page")
  await page.press("input", "Enter")
  await page.waitForFunction("document.querySelector('li.assistant')?.innerText === 'typed in the page'")
  await client.postMessage("one", { message: "/permission command ls\n/echo it was allowed" })
  await shows(page, "waiting")
  await page.click("button")
  await says(page, "it was allowed")
  await page.waitForFunction("document.querySelectorAll('button').length === 0")
})

test("all components share one stream; only what changed is drawn anew", async (context) => {
  if (page === undefined) return context.skip("no Chromium for this machine")
  await shows(page, "idle")
  await expect.poll(() => streams).toBe(1)
  const before = await drawn(page)
  await client.postMessage("one", { message: "/stream 500 5\n/echo all was said" })
  await says(page, "all was said")
  const after = await drawn(page)
  expect(after.items).toBeGreaterThan(before.items)
  expect(after.pending).toBe(before.pending)
})

test("another session takes the place of the first, and leaving ends its stream", async (context) => {
  if (page === undefined) return context.skip("no Chromium for this machine")
  await page.evaluate('window.show("two")')
  await client.postMessage("two", { message: "/echo of the second" })
  await says(page, "of the second")
  expect(await page.evaluate("document.body.innerText.includes('all was said')")).toBe(false)
  await expect.poll(() => streams).toBe(1)
  await page.evaluate('window.show("one")')
  await says(page, "all was said")
  await page.evaluate("window.leave()")
  await expect.poll(() => streams).toBe(0)
  expect(errors).toEqual([])
})
