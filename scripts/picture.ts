import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { chromium } from "playwright-core"
import { SandboxAgentClient } from "sandbox-agent"
import { startProcess } from "../packages/acp-http-client/test/servers/process.ts"
import { buildInspector } from "../packages/inspector/scripts/build.ts"
import { chromiumProgram } from "../packages/sandbox-agent/test/harness/chromium.ts"

/** Takes the picture of the inspector that README shows: `bun scripts/picture.ts`. A real daemon, a real browser, the scripted agent. */
const root = join(import.meta.dir, "..")
const home = mkdtempSync(join(tmpdir(), "picture-"))
const directory = join(home, "workspace/shop")
mkdirSync(join(directory, "src"), { recursive: true })
writeFileSync(join(directory, "src/total.ts"), "export const lineTotal = (line: Line) => line.price\n")
writeFileSync(
  join(directory, "test.sh"),
  "printf '\\033[32m✓\\033[0m 11 passed\\n\\033[31m✗\\033[0m total of two of the same item\\n  expected \\033[32m20\\033[0m, received \\033[31m10\\033[0m\\n'\n",
)

const program = await chromiumProgram()
if (program === undefined) throw new Error("there is no Chromium for this machine")
await buildInspector()
const token = "picture-token"
await using daemon = await startProcess(
  [
    process.execPath,
    "--no-env-file",
    join(root, "packages/daemon/src/main.ts"),
    "server",
    "--port",
    "2468",
    "--store",
    "memory",
  ],
  { env: { SANDBOX_AGENT_TOKEN: token }, cwd: directory },
)
const client = new SandboxAgentClient({ baseUrl: daemon.url, token, autoConnect: false })
const say = async (id: string, title: string, message: string, permissionMode?: "bypass") => {
  await client.createSession(id, { agent: "mock", title, directory, permissionMode })
  return client.postMessage(id, { message })
}
await client
  .session((await client.createSession({ agent: "mock", title: "Explain the release script", directory })).session.id)
  .prompt("/echo Done.")
await say("upgrade", "Upgrade to Node 22", "/sleep 600000")
await say("review", "Review the payment parser", "/question")
await client.createSession("total", {
  agent: "mock",
  title: "Totals ignore the count",
  directory,
  permissionMode: "bypass",
})
const session = client.session("total")
await session.prompt("/todo\n/usage")
await session.setPermissionMode("default")
await session.send(
  [
    "/think The total takes the price once per line and never looks at its count.",
    "/run sh test.sh",
    "/subagent",
    "/echo A line has a `count`, and **lineTotal** takes the price alone:",
    "/edit src/total.ts export const lineTotal = (line: Line) => line.price * line.count",
  ].join("\n"),
)

const browser = await chromium.launch({ ...program, args: ["--no-sandbox"] })
const page = await browser.newPage({
  viewport: { width: 1440, height: 900 },
  deviceScaleFactor: 1.5,
  colorScheme: "light",
})
const { ticket } = await client.makeTicket()
await page.goto(`${daemon.url}/ui/#ticket=${ticket}`)
await page.waitForSelector(".workspace")
await page.evaluate("location.hash = '#/s/total?tab=timeline'")
await page.getByRole("button", { name: "Allow once" }).first().click()
await page.locator(".card .diff").waitFor()
await page.waitForTimeout(1500)
await page.locator("summary", { hasText: "sh test.sh" }).click()
await page.locator(".output").first().waitFor()
await page.getByRole("button", { name: "To the end" }).click()
await page.waitForTimeout(500)
await page.mouse.move(640, 5)
await page.waitForTimeout(300)
await page.screenshot({ path: join(root, "docs/inspector.png") })
await browser.close()
rmSync(home, { recursive: true, force: true })
