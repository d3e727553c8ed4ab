import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { SandboxAgentClient } from "sandbox-agent"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startProcess } from "../../acp-http-client/test/servers/process.ts"
import { TestDaemon } from "../../sandbox-agent/test/harness/daemon.ts"
import { Stage, token } from "./harness/page.ts"
import { keepScreens } from "./harness/screen.ts"

const packages = join(import.meta.dirname, "../..")

let stage: Stage | undefined
beforeAll(async () => {
  stage = await Stage.open()
}, 300_000)
afterAll(() => stage?.[Symbol.asyncDispose]())
keepScreens(() => stage)

async function connect(page: Page, daemon: TestDaemon): Promise<void> {
  await page.getByLabel("Daemon", { exact: true }).fill(daemon.baseUrl)
  await page.getByLabel("Token").fill(token)
  await page.getByRole("button", { name: "Connect" }).click()
  await page.waitForSelector(".workspace")
}

/** A copy of the page's sources that may be changed; inside the repository, where packages are found, and where changes are watched for. */
function copiedPage() {
  const folder = mkdtempSync(join(packages, "inspector/dist/dev-"))
  const root = join(folder, "packages/inspector")
  for (const part of ["index.html", "package.json", "tsconfig.json", "vite.config.ts", "src"])
    cpSync(join(packages, "inspector", part), join(root, part), { recursive: true })
  for (const part of ["tsconfig.json", "packages/sandbox-agent", "packages/acp-http-client"])
    symlinkSync(join(packages, "..", part), join(folder, part))
  const change = (file: string, from: string, to: string) => {
    const before = readFileSync(join(root, file), "utf8")
    expect(before).toContain(from)
    writeFileSync(join(root, file), before.replaceAll(from, to))
  }
  return { root, change, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

test("npm run dev: the page works on a daemon elsewhere, and what is changed in it is seen without a reload", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  using copy = copiedPage()
  // By itself, so that nothing of it outlives the test: a package manager between would.
  expect(JSON.parse(readFileSync(join(copy.root, "package.json"), "utf8")).scripts.dev).toBe("vite")
  const vite = join(packages, "../node_modules/vite/bin/vite.js")
  await using dev = await startProcess(["node", vite, "--port", "0"], {
    cwd: copy.root,
    env: { NODE_ENV: "development", NO_COLOR: "1" },
    says: /(http:\/\/127\.0\.0\.1:\d+)\//,
  })
  await using daemon = await TestDaemon.start("--cors-allow-origin", dev.url)
  const page = await stage.anotherPage()
  await page.goto(dev.url)
  await connect(page, daemon)
  await page.getByRole("button", { name: "Try the mock agent" }).click()
  await page.locator(".message.assistant h2", { hasText: "Hello" }).waitFor()
  await page.getByLabel("Message to the agent").fill("half a sentence")
  await page.evaluate("window.stayed = true")
  copy.change("src/sessions/session-pane.tsx", 'placeholder="Filter sessions"', 'placeholder="Words of a session"')
  await page.getByPlaceholder("Words of a session").waitFor()
  copy.change("src/style/layout.css", ".sessions-head {", ".sessions-head { outline: 3px solid rgb(1, 2, 3);")
  const outline = () =>
    page.evaluate("getComputedStyle(document.querySelector('.sessions-head')).outlineColor") as Promise<string>
  await expect.poll(outline).toBe("rgb(1, 2, 3)")
  // The same page: what was written in it is there, and so is what was said.
  expect(await page.evaluate("window.stayed")).toBe(true)
  expect(await page.getByLabel("Message to the agent").inputValue()).toBe("half a sentence")
  await page.getByLabel("Message to the agent").press("Enter")
  await page.locator(".message.assistant", { hasText: "half a sentence" }).waitFor()
  await page.close()
  expect(stage.faults).toEqual([])
})

test("the static build on another server, in any folder, does all on a daemon that lets it", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const built = join(packages, "inspector/dist/page")
  const missing: string[] = []
  using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      const path = decodeURI(new URL(request.url).pathname).replace(/^\/tools\/agents\//, "")
      const file = Bun.file(join(built, path === "" ? "index.html" : path))
      if (await file.exists()) return new Response(file)
      missing.push(path)
      return new Response("not found", { status: 404 })
    },
  })
  const origin = `http://127.0.0.1:${server.port}`
  await using daemon = await TestDaemon.start("--cors-allow-origin", origin)
  const client = new SandboxAgentClient({ autoConnect: false, baseUrl: daemon.baseUrl, token })
  const page = await stage.anotherPage()
  await page.goto(`${origin}/tools/agents/`)
  // A daemon that was not told of this page keeps it out, and the page says what to tell it.
  await page.getByLabel("Daemon", { exact: true }).fill(stage.daemon.baseUrl)
  await page.getByLabel("Token").fill(token)
  await page.getByRole("button", { name: "Connect" }).click()
  await page.getByRole("alert").getByText(`--cors-allow-origin ${origin}`).waitFor()
  await connect(page, daemon)
  await client.createSession("far", { agent: "mock", directory: daemon.home, permissionMode: "bypass" })
  await page.getByRole("link", { name: /far/ }).click()
  await page.getByLabel("Message to the agent").fill("/image\n/echo from afar")
  await page.keyboard.press("Enter")
  await page.locator(".message.assistant", { hasText: "from afar" }).waitFor()
  await page.locator("img.picture").waitFor()
  await page.getByRole("button", { name: "Open the side panel" }).click()
  await page.getByRole("tab", { name: "Files" }).click()
  await page
    .getByLabel("Files to upload")
    .setInputFiles({ name: "far.txt", mimeType: "text/plain", buffer: Buffer.from("came far") })
  await page.getByRole("button", { name: /^far\.txt/ }).click()
  await page.getByText("came far").waitFor()
  await page.getByRole("tab", { name: "Terminal" }).click()
  await page.getByRole("button", { name: "Open a terminal" }).click()
  await page.locator(".xterm-helper-textarea").focus()
  await page.keyboard.type("echo far''away\n")
  await page.locator(".xterm-rows", { hasText: "faraway" }).waitFor()
  // Links and reloads stay where the page is.
  await page.reload()
  await page.locator(".message.assistant", { hasText: "from afar" }).waitFor()
  expect(await page.evaluate<string>("location.href")).toContain(`${origin}/tools/agents/#/s/far`)
  expect(missing).toEqual([])
  await page.close()
  expect(stage.faults).toEqual([])
})
