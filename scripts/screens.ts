import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { type BrowserContext, chromium, type Page } from "playwright-core"
import { SandboxAgentClient } from "sandbox-agent"
import { startProcess } from "../packages/acp-http-client/test/servers/process.ts"
import { buildInspector } from "../packages/inspector/scripts/build.ts"
import { chromiumProgram } from "../packages/sandbox-agent/test/harness/chromium.ts"

/**
 * Takes a picture of every screen of the inspector, in both themes and at both widths, into `test-results/screens`, to be looked at:
 * `bun scripts/screens.ts`, or with words that names of screens must have: `bun scripts/screens.ts files terminal`.
 */
const root = join(import.meta.dir, "..")
const folder = join(root, "test-results/screens")
const home = mkdtempSync(join(tmpdir(), "screens-"))
const directory = join(home, "workspace/shop")
const token = "screens-token"
const wanted = process.argv.slice(2)

const program = await chromiumProgram()
if (program === undefined) throw new Error("there is no Chromium for this machine")
await buildInspector()
mkdirSync(join(directory, "src"), { recursive: true })
mkdirSync(folder, { recursive: true })
writeFileSync(join(directory, "src/total.ts"), "export const lineTotal = (line: Line) => line.price\n")
writeFileSync(join(directory, "README.md"), "# Shop\n\nWhat it sells, and to whom.\n")
const git = (...words: string[]) =>
  Bun.spawnSync(["git", "-c", "user.email=a@example.com", "-c", "user.name=A", ...words], { cwd: directory })
git("init", "-q")
git("add", "-A")
git("commit", "-qm", "first")
writeFileSync(join(directory, "README.md"), "# Shop\n\nWhat it sells, to whom, and for how much.\n")

/** Its own home: what the machine has is not what a stranger sees. */
const start = (...flags: string[]) =>
  startProcess([...daemonProgram(), "server", "--port", "0", "--store", "memory", ...flags], {
    env: { SANDBOX_AGENT_TOKEN: token, HOME: home },
    cwd: directory,
  })
await using daemon = await start()
await using empty = await start()
const client = new SandboxAgentClient({ baseUrl: daemon.url, token, autoConnect: false })

await fill()

/** Sessions in every state. */
async function fill(): Promise<void> {
  const make = (id: string, title: string, permissionMode?: "bypass") =>
    client.createSession(id, { agent: "mock", title, directory, ...(permissionMode && { permissionMode }) })
  await make("new", "Nothing said yet")
  await make("runs", "Upgrade to Node 22")
  await client.postMessage("runs", { message: "/think It takes a while.\n/sleep 6000000" })
  await client.postMessage("runs", { message: "and then the tests" })
  await make("asks", "Totals ignore the count, and so does the invoice of every customer who bought two")
  await client.postMessage("asks", {
    message: "/edit src/total.ts export const lineTotal = (line: Line) => line.price * line.count",
  })
  await make("command", "Clean up")
  await client.postMessage("command", { message: "/permission rm -rf node_modules && npm install" })
  await make("question", "Review the payment parser")
  await client.postMessage("question", { message: "/questions" })
  await make("ended", "Explain the release script")
  const ended = client.session("ended")
  await ended.prompt("/echo Done.")
  await ended.terminate()
  await make("failed", "A turn that failed", "bypass")
  const failed = client.session("failed")
  await failed
    .prompt("/error the model is overloaded")
    .catch((error: Error) => console.log(`as meant: ${error.message}`))
  await make("kinds", "Every kind of item", "bypass")
  const kinds = client.session("kinds")
  await kinds.prompt(
    [
      "/think The total takes the price once per line and never looks at its count.",
      "/run printf '\\033[32m✓\\033[0m 11 passed\\n\\033[31m✗\\033[0m total of two of the same item\\n'",
      "/edit src/made.ts export const made = true",
      '/tool Look {"path": "src/total.ts"}',
      "/subagent",
      "/image",
      "/todo",
      "/usage",
      "/unknown",
      "/run echo it fails; exit 3",
    ].join("\n"),
  )
  await kinds.prompt(
    "# A heading\n\nA paragraph with **bold**, `code` and a [link](https://example.com).\n\n| name | count |\n|---|---:|\n| one | 1 |\n| two | 2 |\n\n1. first\n2. second\n   - inside\n\n> quoted\n\n```ts\nexport const lineTotal = (line: Line): number => line.price * line.count\n```\n\n- [x] done\n- [ ] not yet",
  )
  for (const session of [ended, failed, kinds]) session.close()
  await client.processes.start({ command: "sh", args: ["-c", "echo listening; exec sleep 100000"], cwd: directory })
}

type Keep = (page: Page, name: string) => Promise<unknown>

interface Screen {
  name: string
  hash: string
  /** What must be there before the picture is taken. */
  shows: string
  /** Makes it so. */
  act?: (page: Page, isPhone: boolean) => Promise<unknown>
}

const button = (name: string | RegExp) => (page: Page) => page.getByRole("button", { name }).first().click()

const screens: readonly Screen[] = [
  { name: "welcome", hash: "#/", shows: ".workspace" },
  { name: "new-session", hash: "#/new", shows: ".agent-card" },
  {
    name: "new-session-more",
    hash: "#/new",
    shows: "details.more[open]",
    act: async (page) => {
      await page.getByText("More options").click()
      await page.getByLabel("Metadata").fill("{")
      await page.getByLabel("Metadata").scrollIntoViewIfNeeded()
    },
  },
  { name: "agents", hash: "#/agents", shows: ".agent-row" },
  {
    name: "agents-open",
    hash: "#/agents",
    shows: ".capabilities",
    act: (page) => page.locator(".agent-row summary").first().click(),
  },
  { name: "session-new", hash: "#/s/new", shows: ".tries" },
  { name: "session-runs", hash: "#/s/runs", shows: ".queue" },
  { name: "session-asks", hash: "#/s/asks", shows: ".card .diff" },
  { name: "session-command", hash: "#/s/command", shows: ".card .command" },
  { name: "session-reject", hash: "#/s/command", shows: ".card input", act: button(/^Reject/) },
  { name: "session-question", hash: "#/s/question", shows: ".card fieldset" },
  { name: "session-ended", hash: "#/s/ended", shows: ".composer.ended" },
  { name: "session-failed", hash: "#/s/failed", shows: ".failure" },
  { name: "session-unknown", hash: "#/s/nobody", shows: ".middle-note" },
  {
    name: "session-deleted",
    hash: "#/",
    shows: ".middle-note",
    act: async (page, isPhone) => {
      await client.createSession("deleted", { agent: "mock", title: "Tidy the imports", directory })
      await client.session("deleted").send("/permission npm run lint -- --fix")
      await page.evaluate(`location.hash = "#/s/deleted${isPhone ? "" : "?tab=details"}"`)
      await page.getByLabel("Message to the agent").fill("and then the tests")
      await client.deleteSession("deleted")
      await page.getByText("This session was deleted").waitFor()
    },
  },
  { name: "session-kinds", hash: "#/s/kinds", shows: ".markdown table" },
  {
    name: "session-tools",
    hash: "#/s/kinds",
    shows: ".tool[open] .diff",
    act: async (page) => {
      await page.locator(".transcript").hover()
      await page.mouse.wheel(0, -10_000)
      await page.locator("summary", { hasText: "11 passed" }).click()
      await page.locator("summary", { hasText: "made.ts" }).click()
    },
  },
  { name: "menu", hash: "#/s/kinds", shows: ".menu-list", act: button("Actions of this session") },
  { name: "menu-daemon", hash: "#/s/kinds", shows: ".menu-list", act: button(/^Daemon/) },
  { name: "palette", hash: "#/s/kinds", shows: "dialog[open]", act: (page) => page.keyboard.press("Control+k") },
  {
    name: "keys",
    hash: "#/s/kinds",
    shows: "dialog[open]",
    act: async (page) => {
      await page.locator("body").click({ position: { x: 5, y: 100 }, force: true })
      await page.keyboard.press("?")
    },
  },
  { name: "tab-details", hash: "#/s/kinds?tab=details", shows: ".facts-list" },
  { name: "tab-events", hash: "#/s/kinds?tab=events", shows: ".event" },
  {
    name: "tab-events-open",
    hash: "#/s/kinds?tab=events&event=6",
    shows: ".event-detail",
  },
  { name: "tab-timeline", hash: "#/s/kinds?tab=timeline", shows: ".bars li" },
  { name: "tab-http", hash: "#/s/kinds?tab=http", shows: ".event" },
  {
    name: "tab-http-open",
    hash: "#/s/kinds?tab=http",
    shows: ".event-detail",
    act: (page) => page.locator(".http-log .event").first().click(),
  },
  { name: "tab-files", hash: "#/s/kinds?tab=files", shows: ".entries li" },
  { name: "tab-files-view", hash: "#/s/kinds?tab=files", shows: ".file-text", act: button(/^README/) },
  {
    name: "tab-files-edit",
    hash: "#/s/kinds?tab=files",
    shows: ".editor",
    act: async (page) => {
      await button(/^README/)(page)
      await button("Edit")(page)
    },
  },
  {
    name: "tab-files-diff",
    hash: "#/s/kinds?tab=files",
    shows: ".files .diff",
    act: async (page) => {
      await button(/^README/)(page)
      await button("Diff to HEAD")(page)
    },
  },
  {
    name: "tab-files-search",
    hash: "#/s/kinds?tab=files",
    shows: ".entries .event",
    act: (page) => page.getByLabel("Search in files").fill("total"),
  },
  { name: "tab-processes", hash: "#/s/kinds?tab=processes", shows: ".process" },
  { name: "tab-processes-log", hash: "#/s/kinds?tab=processes", shows: ".process-log", act: button(/^sh /) },
  { name: "tab-terminal", hash: "#/s/kinds?tab=terminal", shows: ".terminals" },
  { name: "tab-terminal-open", hash: "#/s/kinds?tab=terminal", shows: ".xterm-rows", act: button("Open a terminal") },
  { name: "tab-metrics", hash: "#/s/kinds?tab=metrics", shows: ".facts-list > div" },
  { name: "machine-without-session", hash: "#/?tab=files", shows: ".entries li" },
]

const browser = await chromium.launch({ ...program, args: ["--no-sandbox"] })
const looks = (["light", "dark"] as const).flatMap((theme) =>
  [["desktop", 1280, 800] as const, ["phone", 390, 780] as const].map(([width, ...size]) => ({ theme, width, size })),
)
for (const { theme, width, size } of looks) {
  const context = await browser.newContext({ viewport: { width: size[0], height: size[1] }, colorScheme: theme })
  const keep: Keep = (page, name) => page.screenshot({ path: join(folder, `${width}-${theme}-${name}.png`) })
  if (isWanted("connect")) await connection(context, keep)
  const page = await opened(context, daemon.url, client)
  for (const { name, hash, shows, act } of screens.filter((one) => isWanted(one.name))) {
    await page.evaluate("location.hash = '#/'")
    await page.reload()
    await page.waitForSelector(".workspace")
    await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
    if (act !== undefined) await act(page, width === "phone")
    await page.locator(shows).first().waitFor()
    // Fonts, colours of code and what is asked for a moment later.
    await page.waitForTimeout(400)
    await keep(page, name)
  }
  if (isWanted("away")) await away(context, page, keep)
  await context.close()
}
await browser.close()
rmSync(home, { recursive: true, force: true })
console.log(folder)

function isWanted(name: string): boolean {
  return wanted.length === 0 || wanted.some((word) => name.includes(word))
}

async function opened(context: BrowserContext, url: string, of: SandboxAgentClient): Promise<Page> {
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  const { ticket } = await of.makeTicket()
  await page.goto(`${url}/ui/#ticket=${ticket}`)
  await page.waitForSelector(".workspace")
  return page
}

/** What is seen before there is a daemon, and before there is a session. */
async function connection(context: BrowserContext, keep: Keep): Promise<void> {
  const page = await context.newPage()
  await page.goto(`${empty.url}/ui/`)
  await page.getByText("asks for a token").waitFor()
  await keep(page, "connect")
  await page.getByLabel("Daemon", { exact: true }).fill(daemon.url)
  await page.getByLabel("Token").fill(token)
  await page.getByRole("button", { name: "Connect" }).click()
  await page.getByText("kept out").first().waitFor()
  await keep(page, "connect-failed")
  await page.close()
  const first = await opened(
    context,
    empty.url,
    new SandboxAgentClient({ baseUrl: empty.url, token, autoConnect: false }),
  )
  await first.getByText("Every coding agent").waitFor()
  await keep(first, "connect-first-visit")
  await first.close()
}

/** The daemon is away. */
async function away(context: BrowserContext, page: Page, keep: Keep): Promise<void> {
  await page.evaluate("location.hash = '#/s/kinds'")
  await page.locator(".markdown table").waitFor()
  await context.setOffline(true)
  await page.getByLabel("Message to the agent").fill("Are you there?")
  await page.keyboard.press("Enter")
  await page.waitForTimeout(3000)
  await keep(page, "away")
  await context.setOffline(false)
}
