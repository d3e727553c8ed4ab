import { chromium, type Page } from "playwright-core"
import { expect, test } from "vitest"
import { asRun, snippetsOf } from "./docs/snippets.ts"
import { chromiumProgram } from "./harness/chromium.ts"
import { TestDaemon, token } from "./harness/daemon.ts"

/** The page of a quickstart in a real browser, from an address of its own, with a daemon that lets it call. */
async function opened(
  path: string,
  name: string,
  run: (page: Page, daemon: TestDaemon) => Promise<void>,
): Promise<boolean> {
  const program = await chromiumProgram()
  if (program === undefined) return false
  const html = snippetsOf(path).find(({ meta }) => meta === name)?.text ?? ""
  expect(html).toContain("<script")
  let served = ""
  const server = Bun.serve({
    port: 0,
    fetch: () => new Response(served, { headers: { "content-type": "text/html" } }),
  })
  const origin = `http://localhost:${server.port}`
  await using daemon = await TestDaemon.start("--cors-allow-origin", origin)
  served = asRun(html, daemon.baseUrl)
  const browser = await chromium.launch({ ...program, args: ["--no-sandbox"] })
  try {
    const page = await browser.newPage()
    const errors: Error[] = []
    page.on("pageerror", (error) => errors.push(error))
    await page.goto(`${origin}/${name}#${token}`)
    await run(page, daemon)
    expect(errors).toEqual([])
  } finally {
    await browser.close()
    await server.stop(true)
  }
  return true
}

const say = async (page: Page, text: string) => {
  await page.fill("#text", text)
  await page.press("#text", "Enter")
}
const shows = (page: Page, text: string) =>
  page.waitForFunction(`document.querySelector("#log").innerText.includes("${text}")`)
/** Answers what is asked, and waits for the end of its turn: else the next click may meet the old button, or stop the old turn. */
const answers = async (page: Page, button: string) => {
  await page.click(`#asks ${button}`)
  await page.waitForFunction("document.querySelector('#asks').childElementCount === 0")
  await page.waitForSelector("#stop", { state: "hidden" })
}
const stops = async (page: Page) => {
  await page.click("#stop:not([hidden])")
  await page.waitForSelector("#stop", { state: "hidden" })
}

test("the chat page over REST: text, permission, question, stop, and a daemon that was killed", {
  timeout: 120_000,
}, async ({ skip }) => {
  const ran = await opened("docs/quickstart.mdx", "chat.html", async (page, daemon) => {
    await say(page, "hello from a page")
    await shows(page, "hello from a page")
    await say(page, "/permission echo it ran")
    await answers(page, "button:text-is('Once')")
    expect(await page.locator("#log li", { hasText: /^it ran/ }).count()).toBe(1)
    await say(page, "/question")
    await answers(page, "button >> nth=0")
    await say(page, "/sleep 600000")
    await stops(page)
    await daemon.end()
    await page.waitForFunction("document.querySelector('#state').textContent.startsWith('reconnecting')")
    await daemon.begin()
    await say(page, "back again")
    // The second row is the answer; the first may stand there long before.
    await page.locator("#log li", { hasText: "back again" }).nth(1).waitFor()
    await page.waitForSelector("#stop", { state: "hidden" })
    // Each row once: nothing came twice, nothing is missing.
    expect(await page.locator("#log li", { hasText: "hello from a page" }).count()).toBe(2)
    expect(await page.locator("#log li", { hasText: "back again" }).count()).toBe(2)
    const headers = { authorization: `Bearer ${token}` }
    await fetch(`${daemon.baseUrl}/v1/sessions/my-chat/terminate`, { method: "POST", headers })
    await say(page, "too late")
    await page.waitForFunction("document.querySelector('#state').textContent.includes('has ended')")
  })
  if (!ran) skip("no Chromium for this machine")
})

test("the chat page over ACP: the same", { timeout: 120_000 }, async ({ skip }) => {
  const ran = await opened("docs/quickstart-acp.mdx", "chat-acp.html", async (page, daemon) => {
    await page.waitForFunction("document.querySelector('#state').textContent === ''")
    await say(page, "hello from a page")
    await shows(page, "hello from a page")
    await say(page, "/permission echo it ran")
    await answers(page, "button >> nth=0")
    expect(await page.locator("#log li.tool", { hasText: "it ran" }).count()).toBe(1)
    await say(page, "/question")
    await answers(page, "button >> nth=0")
    await say(page, "/sleep 600000")
    await stops(page)
    await daemon.end()
    await page.waitForFunction("document.querySelector('#state').textContent.startsWith('reconnecting')")
    await daemon.begin()
    await page.waitForFunction("document.querySelector('#state').textContent === ''")
    await say(page, "back again")
    await shows(page, "back again")
    expect(await page.locator("#log li", { hasText: "hello from a page" }).count()).toBe(2)
  })
  if (!ran) skip("no Chromium for this machine")
})
