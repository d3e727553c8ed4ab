import { type Browser, chromium, type Page } from "playwright-core"
import { chromiumProgram } from "../../packages/sandbox-agent/test/harness/chromium.ts"
import type { Case } from "../case.ts"
import { median } from "../measure/stats.ts"
import { atMost, type Row } from "../row.ts"
import { api } from "../target/api.ts"
import type { Running } from "../target/target.ts"

const items = 20_000
/** Of one message: the daemon bounds its text. */
const perMessage = 2_000
const events = 100_000
/** Of one round, and rounds. */
const deltas = 5_000
const rounds = 5

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

interface Frames {
  gaps: number[]
  atRest: number[]
  /** The longest that a script of the page ran in one go, in processor time. */
  scriptMs: number
}

/** Times between frames of a page that was just opened, at rest and while text streams in. */
async function framesOf(browser: Browser, server: Running, id: string): Promise<Frames> {
  const session = await server.openSession(id)
  const page = await opened(browser, server)
  await page.goto(`${addressOf(server)}/ui/#/s/${id}`)
  await page.getByLabel("Message to the agent").waitFor()
  await page.evaluate(`{
    window.gaps = []
    let last = performance.now()
    const frame = (now) => { window.gaps.push(now - last); last = now; window.watching = requestAnimationFrame(frame) }
    requestAnimationFrame(frame)
  }`)
  await Bun.sleep(3_000)
  const tools = await page.context().newCDPSession(page)
  const scripts: number[] = []
  tools.on("Tracing.dataCollected", ({ value }) => {
    for (const { name, tdur } of value as { name?: string; tdur?: number }[])
      if (name === "FunctionCall" && tdur !== undefined) scripts.push(tdur / 1000)
  })
  await tools.send("Tracing.start", { traceConfig: { includedCategories: ["devtools.timeline"] } })
  const atRest = await page.evaluate<number[]>("window.gaps.splice(0).slice(5)")
  await session.turn?.(`/flood ${deltas} 1000`)
  const gaps = await page.evaluate<number[]>("window.gaps")
  const collected = new Promise((resolve) => tools.once("Tracing.tracingComplete", resolve))
  await tools.send("Tracing.end")
  await collected
  await page.context().close()
  return { gaps, atRest, scriptMs: Math.max(...scripts) }
}

/** Whether the page keeps up with text that streams in: in the middle of several rounds, each on a page of its own. */
async function frames(browser: Browser, server: Running): Promise<Row[]> {
  const all: Frames[] = []
  for (let round = 0; round < rounds; round++) all.push(await framesOf(browser, server, `frames-${round}`))
  const over = (gaps: number[]) => gaps.filter((gap) => gap > 50).length
  const sum = (figures: number[]) => figures.reduce((before, one) => before + one, 0)
  const late = median(all.map(({ gaps }) => over(gaps)))
  const script = median(all.map(({ scriptMs }) => scriptMs))
  return [
    {
      name: "inspector: longest frame at 1,000 deltas/s",
      unit: "ms",
      ours: median(all.map(({ gaps }) => Math.max(...gaps))),
      floor: median(all.map(({ atRest }) => Math.max(...atRest))),
      note: `median of ${rounds} pages; floor: the same page at rest`,
    },
    {
      name: "    frames over 50 ms",
      unit: "",
      ours: late,
      floor: median(all.map(({ atRest }) => over(atRest))),
      bar: atMost(late, 0, ""),
      note: `${sum(all.map(({ gaps }) => over(gaps)))} of ${sum(all.map(({ gaps }) => gaps.length))} in all rounds`,
    },
    {
      name: "    longest script, in processor time",
      unit: "ms",
      ours: script,
      bar: atMost(script, 50, "ms"),
      note: "what a busy machine cannot lengthen",
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
