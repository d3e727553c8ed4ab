import { spawnSync } from "node:child_process"
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { chromium } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { nodeProgram } from "./servers/node.ts"
import { workerdProgram } from "./servers/npm-program.ts"
import { type ServerProcess, startProcess, startSdkServer } from "./servers/process.ts"
import { startSite } from "./servers/site.ts"

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const dist = mkdtempSync(join(tmpdir(), "acp-http-client-dist-"))
const built = join(dist, "acp-http-client.js")
let server: ServerProcess
let site: Awaited<ReturnType<typeof startSite>>

beforeAll(async () => {
  const { status, stderr } = spawnSync(process.execPath, [here("../scripts/build.ts"), dist])
  if (status !== 0) throw new Error(`${stderr}`)
  server = await startSdkServer()
  const files = { "/": here("page.html"), "/acp-http-client.js": built, "/scenario.js": here("scenario.js") }
  site = await startSite(files, server.url)
}, 180_000)
afterAll(async () => {
  site?.stop()
  await server?.stop()
  rmSync(dist, { recursive: true, force: true })
})

const expected = {
  agent: "demo",
  stopReason: "end_turn",
  whole: true,
  first: true,
  asked: 1,
  survived: "end_turn",
  reconnected: true,
  aborted: ["aborted", "AbortError"],
  cancelled: "cancelled",
  open: "closed",
}

test.each([
  ["Node", nodeProgram()],
  ["Bun", process.execPath],
])(
  "the built package on %s",
  async (_, program) => {
    const child = await startProcess([program, here("node-smoke.mjs"), built, `${site.url}/acp`, `${site.url}/cut`], {
      says: /^(\{.*\})$/m,
    })
    expect(JSON.parse(child.url)).toMatchObject(expected)
  },
  120_000,
)

test("the built package in workerd, the runtime of Workers", async (context) => {
  if (existsSync(`/lib/ld-musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`))
    return context.skip("workerd has no build for musl")
  for (const name of ["worker.js", "worker.capnp", "scenario.js"]) copyFileSync(here(name), join(dist, name))
  // Its port is told as a line of JSON on the descriptor given.
  const args = ["serve", join(dist, "worker.capnp"), "--control-fd=1"]
  await using workerd = await startProcess([workerdProgram(), ...args], { says: /"port":\s*(\d+)/ })
  const answer = await fetch(`http://127.0.0.1:${workerd.url}/?site=${encodeURIComponent(site.url)}`)
  expect(await answer.json()).toMatchObject(expected)
}, 300_000)

/** The machine's own, or the one playwright fetches; a machine that can have neither is told so. */
function browser(): string | undefined {
  const installed = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync)
  if (installed !== undefined) return installed
  spawnSync("npx", ["playwright-core", "install", "chromium"], { stdio: "ignore" })
  return existsSync(chromium.executablePath()) ? chromium.executablePath() : undefined
}

test("the built package in Chromium", async (context) => {
  const executablePath = browser()
  if (executablePath === undefined) return context.skip("no Chromium here, and none could be installed")
  const chrome = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
  try {
    const page = await chrome.newPage()
    await page.goto(site.url)
    await page.waitForFunction("window.run !== undefined")
    expect(await page.evaluate("window.run()")).toMatchObject(expected)
  } finally {
    await chrome.close()
  }
}, 180_000)

test("a page that was offline and frozen goes on where it was", async (context) => {
  const executablePath = browser()
  if (executablePath === undefined) return context.skip("no Chromium here, and none could be installed")
  const chrome = await chromium.launch({ executablePath, args: ["--no-sandbox"] })
  try {
    const page = await chrome.newPage()
    await page.goto(site.url)
    await page.waitForFunction("window.begin !== undefined")
    await page.evaluate("window.begin()")
    const devtools = await page.context().newCDPSession(page)
    await page.context().setOffline(true)
    await fetch(`${site.url}/cut`, { method: "POST" })
    await devtools.send("Page.setWebLifecycleState", { state: "frozen" })
    await new Promise((resolve) => setTimeout(resolve, 1_000))
    await devtools.send("Page.setWebLifecycleState", { state: "active" })
    await page.context().setOffline(false)
    expect(await page.evaluate("window.end()")).toEqual({
      stopReason: "end_turn",
      states: expect.arrayContaining(["reconnecting"]),
    })
  } finally {
    await chrome.close()
  }
}, 180_000)
