import { type Browser, type BrowserContext, chromium, type Page, type Request } from "playwright-core"
import { SandboxAgentClient } from "sandbox-agent"
import { expect } from "vitest"
import { chromiumProgram } from "../../../sandbox-agent/test/harness/chromium.ts"
import { TestDaemon, token } from "../../../sandbox-agent/test/harness/daemon.ts"
import { buildInspector } from "../../scripts/build.ts"

export { token }

/** Asked of the page itself: whoever drives the browser learns of a new address later than the page shows it. */
export const hashOf = (page: Page): Promise<string> => page.evaluate<string>("location.hash")

/** A real daemon that serves the page, and a browser that looks at it. */
export class Stage implements AsyncDisposable {
  /** What the page did not catch, and what its policy kept from happening. */
  readonly faults: string[] = []
  /** Requests that are not answered to their end, streams among them, and those that failed. */
  readonly open = new Set<Request>()
  readonly failed: string[] = []

  private constructor(
    readonly daemon: TestDaemon,
    readonly client: SandboxAgentClient,
    readonly browser: Browser,
    readonly context: BrowserContext,
    readonly page: Page,
  ) {}

  /** Undefined where there is no Chromium for this machine. */
  static open(...flags: string[]): Promise<Stage | undefined> {
    return Stage.openWith({}, ...flags)
  }

  static async openWith(env: Record<string, string>, ...flags: string[]): Promise<Stage | undefined> {
    const program = await chromiumProgram()
    if (program === undefined) return undefined
    await buildInspector()
    const daemon = await TestDaemon.startWith(env, ...flags)
    const client = new SandboxAgentClient({ autoConnect: false, baseUrl: daemon.baseUrl, token })
    const browser = await chromium.launch({ ...program, args: ["--no-sandbox"] })
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
    await context.grantPermissions(["clipboard-read", "clipboard-write"])
    const page = await context.newPage()
    const stage = new Stage(daemon, client, browser, context, page)
    // As long as a test has: a slow machine makes a run longer, never red.
    page.setDefaultTimeout(50_000)
    page.on("request", (request) => stage.open.add(request))
    page.on("requestfinished", (request) => stage.open.delete(request))
    page.on("requestfailed", (request) => {
      stage.open.delete(request)
      stage.failed.push(`${request.method()} ${request.url()} ${request.failure()?.errorText}`)
    })
    page.on("pageerror", (error) => stage.faults.push(error.message))
    page.on("console", (message) => {
      if (/Content Security Policy|Trusted ?Type/i.test(message.text())) stage.faults.push(message.text())
    })
    return stage
  }

  /** Opens the page signed in, as the address that a daemon prints does. */
  async signIn(place = ""): Promise<void> {
    await this.openAt(this.page, this.daemon.baseUrl)
    if (place !== "") await this.go(place)
  }

  /** The same in another page, or by another way to the daemon. */
  async openAt(page: Page, baseUrl: string): Promise<void> {
    const { ticket } = await this.client.makeTicket()
    await page.goto(`${baseUrl}/ui/#ticket=${ticket}`)
    await page.waitForSelector(".workspace")
  }

  /** A page of its own, in whose place a test may put it to sleep or cut it off. */
  async anotherPage(): Promise<Page> {
    const page = await this.context.newPage()
    page.setDefaultTimeout(50_000)
    page.on("pageerror", (error) => this.faults.push(error.message))
    return page
  }

  async go(hash: string): Promise<void> {
    await this.page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
  }

  /** Creates a session of the mock agent, opens it, and waits until it can be spoken to. */
  async openSession(id: string, more: { permissionMode?: "bypass"; title?: string; directory?: string } = {}) {
    await this.client.createSession(id, { agent: "mock", directory: this.daemon.home, ...more })
    await this.go(`#/s/${id}`)
    await this.page.getByLabel("Message to the agent").waitFor()
    await expect.poll(() => hashOf(this.page)).toContain(id)
  }

  shows(text: string | RegExp): Promise<void> {
    return this.page.getByText(text).first().waitFor()
  }

  async send(message: string): Promise<void> {
    await this.page.fill("textarea", message)
    await this.page.press("textarea", "Enter")
  }

  /** Until what was sent has been taken: the box is empty before. */
  async taken(): Promise<void> {
    await this.page.locator('.composer[aria-busy="false"]').waitFor()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.browser.close()
    await this.daemon[Symbol.asyncDispose]()
  }
}
