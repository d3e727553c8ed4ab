import { resolve } from "node:path"
import { chromium, type Page } from "playwright-core"
import type { ChromiumProgram } from "./chromium.ts"
import { startFront, type Turn } from "./front.ts"

export interface OpenedPage {
  page: Page
  /** What the page did not catch. */
  errors: Error[]
  /** Where it is served, and the daemon behind it. */
  baseUrl: string
  close(): Promise<void>
}

/** What the published package has where there are no processes and no files. */
function asInPage(build: Bun.PluginBuilder): void {
  const files: Record<string, string> = {
    "#embedded": "embedded/unavailable.ts",
    "#local-files": "local/unavailable.ts",
    "#web-socket": "socket/native.ts",
  }
  build.onResolve({ filter: /^#/ }, ({ path }) => ({
    path: new URL(`../../src/${files[path]}`, import.meta.url).pathname,
  }))
}

async function bundled(file: string): Promise<string> {
  const built = await Bun.build({
    entrypoints: [resolve(import.meta.dirname, "..", file)],
    target: "browser",
    conditions: ["bun"],
    define: { "process.env.NODE_ENV": '"development"' },
    plugins: [{ name: "as in a page", setup: asInPage }],
  })
  if (!built.success) throw new Error(built.logs.join("\n"))
  return (await built.outputs[0]?.text()) ?? ""
}

/** A file of the tests in a real browser, with a daemon behind its address. It has done its work when it sets `window.start`. */
export async function openPage(
  program: ChromiumProgram,
  file: string,
  daemon = "http://127.0.0.1",
  turn: Turn = (_, __, pass) => pass(),
): Promise<OpenedPage> {
  const code = await bundled(file)
  const front = await startFront(daemon, (seen, answer, pass, incoming) => {
    if (seen.path === "/")
      return answer.setHeader("content-type", "text/html").end('<script type="module" src="/page.js"></script>')
    if (seen.path === "/page.js") return answer.setHeader("content-type", "text/javascript").end(code)
    turn(seen, answer, pass, incoming)
  })
  const browser = await chromium.launch({ ...program, args: ["--no-sandbox"] })
  const errors: Error[] = []
  const page = await (await browser.newContext()).newPage()
  page.on("pageerror", (error) => errors.push(error))
  await page.goto(front.baseUrl)
  await page.waitForFunction("window.start !== undefined")
  const close = async () => {
    await browser.close()
    front.stop()
  }
  return { page, errors, baseUrl: front.baseUrl, close }
}
