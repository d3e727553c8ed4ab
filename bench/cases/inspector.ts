import { type Browser, chromium, type Page } from "playwright-core"
import { chromiumProgram } from "../../packages/sandbox-agent/test/harness/chromium.ts"
import type { Case } from "../case.ts"
import { atMost, type Row } from "../row.ts"
import { api } from "../target/api.ts"
import type { Running } from "../target/target.ts"

const items = 20_000
/** Of one message: the daemon bounds its text. */
const perMessage = 2_000
const events = 100_000

const addressOf = ({ port }: Running) => `http://127.0.0.1:${port}`

/** A page that is signed in. */
async function opened(browser: Browser, server: Running): Promise<Page> {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage()
  const { ticket } = await api<{ ticket: string }>(server.port, "POST", "/v1/tickets")
  await page.goto(`${addressOf(server)}/ui/#ticket=${ticket}`)
  await page.waitForSelector(".workspace")
  return page
}

/** What is loaded until the first screen stands, compressed as it comes. */
async function firstScreen(browser: Browser, server: Running): Promise<Row> {
  const page = await (await browser.newContext()).newPage()
  const loaded: string[] = []
  page.on("request", (request) => {
    if (request.url().includes("/ui/")) loaded.push(request.url().replace(/#.*/, ""))
  })
  await page.goto(`${addressOf(server)}/ui/`)
  await page.waitForSelector(".connect")
  let bytes = 0
  for (const url of new Set(loaded)) {
    const answer = await fetch(url, { headers: { "accept-encoding": "gzip" }, decompress: false })
    bytes += (await answer.arrayBuffer()).byteLength
  }
  await page.context().close()
  const ours = bytes / 1024
  return { name: "inspector: first screen, gzip", unit: "KiB", ours, bar: atMost(ours, 250, "KiB") }
}

/** From navigation to the last of many items on the screen. */
async function longTranscript(browser: Browser, server: Running): Promise<Row> {
  const session = await server.openSession("long")
  for (let begin = 0; begin < items; begin += perMessage) {
    const lines = Array.from({ length: perMessage }, (_, i) => `/echo entry ${begin + i} of it`)
    await session.turn?.(lines.join("\n"))
  }
  const page = await opened(browser, server)
  const begin = performance.now()
  await page.goto(`${addressOf(server)}/ui/#/s/long`)
  await page.reload()
  await page
    .getByText(`entry ${items - 1} of it`)
    .last()
    .waitFor()
  const ours = performance.now() - begin
  await page.context().close()
  return { name: `inspector: load to the end of ${items / 1000}k items`, unit: "ms", ours }
}

/** The longest time between two frames while text streams in. */
async function frames(browser: Browser, server: Running): Promise<Row[]> {
  const session = await server.openSession("frames")
  const page = await opened(browser, server)
  await page.goto(`${addressOf(server)}/ui/#/s/frames`)
  await page.getByLabel("Message to the agent").waitFor()
  await page.evaluate(`{
    window.gaps = []
    let last = performance.now()
    const frame = (now) => { window.gaps.push(now - last); last = now; window.watching = requestAnimationFrame(frame) }
    requestAnimationFrame(frame)
  }`)
  await Bun.sleep(3_000)
  const atRest = await page.evaluate<number[]>("window.gaps.splice(0).slice(5)")
  await session.turn?.("/flood 10000 1000")
  const gaps = await page.evaluate<number[]>("window.gaps")
  await page.context().close()
  const over = (all: number[]) => all.filter((gap) => gap > 50).length
  return [
    {
      name: "inspector: longest frame at 1,000 deltas/s",
      unit: "ms",
      ours: Math.max(...gaps),
      floor: Math.max(...atRest),
      note: `${gaps.length} frames; floor: the same page at rest`,
    },
    {
      name: "    frames over 50 ms",
      unit: "",
      ours: over(gaps),
      floor: over(atRest),
      bar: atMost(over(gaps), 0, ""),
    },
  ]
}

/** What the page holds after a long stream, garbage collected. */
async function heap(browser: Browser, server: Running): Promise<Row> {
  const session = await server.openSession("heap")
  const page = await opened(browser, server)
  await page.goto(`${addressOf(server)}/ui/#/s/heap`)
  await page.getByLabel("Message to the agent").waitFor()
  for (let sent = 0; sent < events; sent += 20_000) await session.turn?.("/stream 20000 8\n/echo done")
  await page.getByText("done", { exact: true }).last().waitFor()
  const tools = await page.context().newCDPSession(page)
  await tools.send("HeapProfiler.collectGarbage")
  const { usedSize } = await tools.send("Runtime.getHeapUsage")
  await page.context().close()
  return {
    name: `inspector: heap after ${events / 1000}k events`,
    unit: "MB",
    ours: usedSize / 1e6,
    bar: atMost(usedSize / 1e6, 64, "MB"),
  }
}

/** The page at /ui/ in a real browser. */
export const inspector: Case = {
  name: "inspector",
  run: async ({ ours }) => {
    const program = await chromiumProgram()
    if (program === undefined) return [{ name: "inspector", unit: "", note: "no Chromium for this machine" }]
    const server = await ours.start()
    const browser = await chromium.launch({ ...program, args: ["--no-sandbox"] })
    try {
      return [
        await firstScreen(browser, server),
        await longTranscript(browser, server),
        ...(await frames(browser, server)),
        await heap(browser, server),
      ]
    } finally {
      await browser.close()
      await server.stop()
    }
  },
}
