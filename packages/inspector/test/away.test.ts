import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Line, startProxy } from "../../acp-http-client/test/servers/proxy.ts"
import { holdAnswer } from "./harness/hold-answer.ts"
import { Stage } from "./harness/page.ts"

let stage: Stage | undefined
let line: Line
beforeAll(async () => {
  stage = await Stage.open()
  if (stage !== undefined) line = await startProxy(stage.daemon.baseUrl)
}, 300_000)
afterAll(async () => {
  line?.stop()
  await stage?.[Symbol.asyncDispose]()
})

/** What the page shows of the agent's words, and what the daemon has: each of them once, in their order. */
async function expectWhole(page: Page, id: string): Promise<void> {
  const { client } = stage as Stage
  await expect.poll(async () => (await client.getSession(id)).status, { timeout: 50_000 }).toBe("idle")
  const { items } = await client.listItems(id)
  const said = items.flatMap(({ role, content }) =>
    role === "assistant" ? content.flatMap((part) => (part.type === "text" ? [part.text] : [])) : [],
  )
  expect(said.length).toBeGreaterThan(0)
  const words = (text: string) => text.split(/\s+/).filter(Boolean)
  const shown = async () => words((await page.locator(".message.assistant").allInnerTexts()).join(" "))
  await expect.poll(shown, { timeout: 50_000 }).toEqual(words(said.join(" ")))
}

/** A page behind a line that can be cut, with a session whose words come slowly. */
async function streaming(id: string, prepare?: (page: Page) => Promise<unknown>): Promise<Page> {
  const { client, daemon } = stage as Stage
  const page = await (stage as Stage).anotherPage()
  await prepare?.(page)
  await (stage as Stage).openAt(page, new URL(line.url).origin)
  await client.createSession(id, { agent: "mock", directory: daemon.home })
  await page.evaluate(`location.hash = '#/s/${id}'`)
  await page.getByLabel("Message to the agent").waitFor()
  await client.postMessage(id, { message: "/flood 150 100" })
  await page.locator(".message.assistant").waitFor()
  return page
}

test("the network is gone for a minute: the page says so and goes on, nothing lost and nothing twice", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const page = await streaming("cut", (fresh) => fresh.clock.install())
  // Nothing passes, and nobody is told: the page finds out by the silence.
  line.stalled = true
  await page.clock.fastForward("01:00")
  await page.getByText("Reconnecting").waitFor()
  await page.getByText(/last heard 1 min/).waitFor()
  line.stalled = false
  line.cutAll()
  await page.getByText("Reconnecting").waitFor({ state: "detached" })
  await expectWhole(page, "cut")
  await page.close()
  expect(stage.faults).toEqual([])
})

test("sessions that were made while the page was cut off are listed when it is back", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { client, daemon } = stage
  const page = await stage.anotherPage()
  await stage.openAt(page, new URL(line.url).origin)
  await client.createSession("seen", { agent: "mock", title: "Seen", directory: daemon.home })
  await page.getByRole("link", { name: /Seen/ }).waitFor()
  // A stream that has said nothing yet does not know where it was.
  await page.reload()
  await page.getByRole("link", { name: /Seen/ }).waitFor()
  line.stalled = true
  line.cutAll()
  await page.getByText("Reconnecting").waitFor()
  await client.createSession("unseen", { agent: "mock", title: "Unheard of", directory: daemon.home })
  await client.deleteSession("seen")
  line.stalled = false
  line.cutAll()
  await page.getByRole("link", { name: /Unheard of/ }).waitFor()
  await page.getByRole("link", { name: /Seen/ }).waitFor({ state: "detached" })
  // What was heard of, and could not be asked for when it was.
  await page.route("**/v1/sessions/half", (route) => route.abort("connectionreset"))
  const asked = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/v1/sessions/half"))
  await client.createSession("half", { agent: "mock", title: "Half heard of", directory: daemon.home })
  await asked
  line.cutAll()
  await page.getByRole("link", { name: /Half heard of/ }).waitFor()
  // A list that was answered before one more was made comes after that.
  const held = await holdAnswer(page, "**/v1/sessions?*")
  line.cutAll()
  await held.answered
  await client.createSession("meanwhile", { agent: "mock", title: "Made meanwhile", directory: daemon.home })
  await page.getByRole("link", { name: /Made meanwhile/ }).waitFor()
  await client.deleteSession("half")
  await page.getByRole("link", { name: /Half heard of/ }).waitFor({ state: "detached" })
  const taken = page.waitForResponse("**/v1/sessions?*")
  held.letGo()
  await (await taken).finished()
  // Listed when all that was asked for before has been answered.
  await client.createSession("last", { agent: "mock", title: "Last of all", directory: daemon.home })
  await page.getByRole("link", { name: /Last of all/ }).waitFor()
  expect(await page.getByRole("link", { name: /Made meanwhile/ }).count()).toBe(1)
  expect(await page.getByRole("link", { name: /Half heard of/ }).count()).toBe(0)
  await page.close()
  expect(stage.faults).toEqual([])
})

/** The longest that timers of a page did not run. */
const watchTimers = `{
  let before = performance.now()
  window.sleptMs = 0
  setInterval(() => {
    const now = performance.now()
    window.sleptMs = Math.max(window.sleptMs, now - before)
    before = now
  }, 10)
}`

test("the tab sleeps while its connections die: it goes on when it wakes, nothing lost and nothing twice", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { client, browser } = stage
  const page = await streaming("slept", (fresh) => fresh.addInitScript(watchTimers))
  const tools = await browser.newBrowserCDPSession()
  const { processInfo } = await tools.send("SystemInfo.getProcessInfo")
  const renderers = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id)
  for (const pid of renderers) process.kill(pid, "SIGSTOP")
  line.cutAll()
  await expect.poll(async () => (await client.getSession("slept")).status, { timeout: 50_000 }).toBe("idle")
  for (const pid of renderers) process.kill(pid, "SIGCONT")
  await expectWhole(page, "slept")
  // It really slept: its timers run every 10 ms otherwise.
  expect(await page.evaluate("window.sleptMs")).toBeGreaterThan(100)
  await page.getByText("Reconnecting").waitFor({ state: "detached" })
  await page.close()
  expect(stage.faults).toEqual([])
})
