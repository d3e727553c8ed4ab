import type { Page } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Line, startProxy } from "../../acp-http-client/test/servers/proxy.ts"
import { SandboxAgentClient } from "../src/sandbox-agent.ts"
import { chromiumProgram } from "./harness/chromium.ts"
import { TestDaemon, token } from "./harness/daemon.ts"
import { type OpenedPage, openPage } from "./harness/page.ts"

const program = await chromiumProgram()

interface Result {
  sequences: number[]
  deltas: number
  /** The longest that its timers did not run. */
  sleptMs: number
}

/** The processes that run what is in tabs. */
async function renderersOf(page: Page): Promise<number[]> {
  const browser = page.context().browser() ?? expect.unreachable("it has a browser")
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send("SystemInfo.getProcessInfo")
  await session.detach()
  return processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id)
}

describe.skipIf(program === undefined)("a tab that sleeps, in a real Chromium", () => {
  let daemon: TestDaemon
  let line: Line
  let opened: OpenedPage
  let client: SandboxAgentClient
  beforeAll(async () => {
    if (program === undefined) return
    daemon = await TestDaemon.start()
    line = await startProxy(daemon.baseUrl)
    client = new SandboxAgentClient({ autoConnect: false, baseUrl: daemon.baseUrl, token })
    opened = await openPage(program, "sleep-page.js", line.url)
  }, 300_000)
  afterAll(async () => {
    await opened?.close()
    line?.stop()
    await daemon?.[Symbol.asyncDispose]()
  })

  test.each([
    ["while all it waits for happens", false],
    ["and its connections die meanwhile", true],
  ])("%s: everything settles when it wakes, and no event is missed", async (_, isCut) => {
    const { page } = opened
    // A tab has six connections to an address, and those of the test before are still open.
    await page.reload()
    await page.waitForFunction("window.start !== undefined")
    const id = isCut ? "cut" : "kept"
    await client.createSession(id, { agent: "mock" })
    const limits = { pauseMinMs: 2, pauseMaxMs: 20, reconnectAttempts: 3 }
    await page.evaluate(`window.start("${token}", "${id}", ${JSON.stringify(limits)})`)
    await expect.poll(async () => (await client.getSession(id)).status).toBe("running")
    const second = await page.evaluate<string>("window.second")
    const renderers = await renderersOf(page)
    for (const pid of renderers) process.kill(pid, "SIGSTOP")
    if (isCut) line.cutAll()
    for (const name of [id, second]) await expect.poll(async () => (await client.getSession(name)).status).toBe("idle")
    for (const pid of renderers) process.kill(pid, "SIGCONT")
    const settled = await page.evaluate("window.settled()")
    expect(settled).toEqual({ first: "end_turn", second: "end_turn", read: "ended", late: "ok" })
    const { sequences, deltas, sleptMs } = await page.evaluate<Result>("window.result")
    expect(deltas).toBe(500)
    // It really slept: its timers run every 10 ms otherwise.
    expect(sleptMs).toBeGreaterThan(100)
    expect(sequences).toEqual(sequences.map((_, at) => at + 1))
    expect(opened.errors).toEqual([])
  })
})
