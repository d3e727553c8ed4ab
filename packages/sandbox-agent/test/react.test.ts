import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { SandboxAgentClient } from "../src/sandbox-agent.ts"
import { chromiumProgram } from "./harness/chromium.ts"
import { TestDaemon, token } from "./harness/daemon.ts"
import { type OpenedPage, openPage } from "./harness/page.ts"

let daemon: TestDaemon
let client: SandboxAgentClient
let page: Page | undefined
let opened: OpenedPage | undefined
/** Event streams of sessions that are open now. */
let streams = 0

beforeAll(async () => {
  const program = await chromiumProgram()
  if (program === undefined) return
  daemon = await TestDaemon.start()
  client = new SandboxAgentClient({ autoConnect: false, baseUrl: daemon.baseUrl, token })
  opened = await openPage(program, "chat-page.js", daemon.baseUrl, ({ path }, answer, pass) => {
    if (path.endsWith("/events/sse")) {
      streams++
      answer.on("close", () => streams--)
    }
    pass()
  })
  for (const id of ["one", "two"]) await client.createSession(id, { agent: "mock" })
  page = opened.page
  await page.evaluate(`window.start("${token}", ["one"])`)
}, 300_000)
afterAll(async () => {
  await opened?.close()
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
  expect(opened?.errors).toEqual([])
})
