import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { calls } from "@sandbox-agent/schema/openapi/calls"
import { chromium } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { chromiumProgram } from "./harness/chromium.ts"
import { TestDaemon, token } from "./harness/daemon.ts"
import { operationsOf } from "./operations.ts"

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await TestDaemon.start()
})
afterAll(() => daemon?.[Symbol.asyncDispose]())

interface Operation {
  operationId: string
  responses: Record<string, { content?: Record<string, unknown> }>
  "x-codeSamples": { label: string; source: string }[]
}

test("every operation that the client has is shown with it", () => {
  expect(new Set(Object.keys(calls))).toEqual(new Set(Object.keys(operationsOf("x"))))
})

/** What curl was answered; a stream is left as soon as it has begun. */
function statusOf(source: string, directory: string): Promise<string> {
  const asked = source.replace(/^curl/, "curl -s -o /dev/null -D - --no-buffer")
  const env = { ...process.env, SANDBOX_AGENT_TOKEN: token }
  const shell = spawn("bash", ["-c", `exec ${asked}`], { cwd: directory, env, stdio: ["ignore", "pipe", "inherit"] })
  return new Promise((resolve) => {
    let head = ""
    shell.stdout.on("data", (bytes) => {
      head += bytes
      const [, status] = /^HTTP\/1.1 (\d+)[\s\S]*?\r\n\r\n/.exec(head) ?? []
      if (status !== undefined && status !== "100") shell.kill()
    })
    shell.on("close", () => resolve([...head.matchAll(/^HTTP\/1.1 (\d+)/gm)].at(-1)?.[1] ?? "nothing"))
  })
}

test("every curl of the reference is understood by the daemon it was taken from", { timeout: 180_000 }, async () => {
  const { paths } = (await (await fetch(`${daemon.baseUrl}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, Operation>>
  }
  const shown = await (await fetch(`${daemon.baseUrl}/docs`)).text()
  const text = shown.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")
  const directory = mkdtempSync(join(tmpdir(), "sandbox-agent-reference-"))
  writeFileSync(join(directory, "file"), "x")
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  // Sessions, tickets and the rest are not there: what is refused must be refused for that.
  const wrong = new Set(["400", "401", "405", "406", "415", "nothing"])
  const answered: string[] = []
  const ask = async ({ operationId, responses, "x-codeSamples": samples }: Operation) => {
    const source = samples[0]?.source.replaceAll("http://127.0.0.1:2468", daemon.baseUrl) ?? ""
    if (!operationId.endsWith("V2")) expect(text, operationId).toContain(source)
    const status = await statusOf(source, directory)
    if (wrong.has(status) || !(status in responses)) answered.push(`${operationId} ${status}`)
  }
  const [create] = operations.filter(({ operationId }) => operationId === "createSession")
  if (create !== undefined) await ask(create)
  const changing = operations.filter(({ operationId }) =>
    /^(delete|terminate|stop|kill|cancel|leave)/.test(operationId),
  )
  const others = operations.filter((one) => one !== create && !changing.includes(one))
  for (const group of [others, changing])
    for (let at = 0; at < group.length; at += 8) await Promise.all(group.slice(at, at + 8).map(ask))
  rmSync(directory, { recursive: true, force: true })
  // A WebSocket without its key is none, an archive of one letter is none, and folders of the examples may be missing here.
  const known =
    /^(attachTerminal|uploadFsBatch|listFsEntries|archiveFs|watchFs|searchFs|setMcp|getMcp|deleteMcp|(set|get|delete)Skills)/
  expect(answered.filter((line) => !known.test(line))).toEqual([])
})

describe("the reference in a browser", () => {
  test.for([
    { colorScheme: "light", width: 1360 },
    { colorScheme: "dark", width: 390 },
  ] as const)("$colorScheme, $width wide", { timeout: 120_000 }, async ({ colorScheme, width }, { skip }) => {
    const program = await chromiumProgram()
    if (program === undefined) return skip("no Chromium for this machine")
    const browser = await chromium.launch({ ...program, args: ["--no-sandbox"] })
    try {
      const context = await browser.newContext({ colorScheme, viewport: { width, height: 860 } })
      const page = await context.newPage()
      const errors: string[] = []
      page.on("pageerror", (error) => errors.push(String(error)))
      page.on("console", (message) => message.type() === "error" && errors.push(message.text()))
      await page.goto(`${daemon.baseUrl}/docs#TurnEndedEvent`)
      await expect
        .poll(() => page.locator("#TurnEndedEvent h3").boundingBox())
        .toMatchObject({ y: expect.closeTo(40, -2) })
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width)
      await page.keyboard.press("/")
      await page.keyboard.type("permission reply")
      await expect.poll(() => page.locator("nav li:not([hidden])").count()).toBeLessThan(12)
      await page.keyboard.press("Enter")
      await expect.poll(() => page.url()).toMatch(/#replyPermission$/)
      await page.fill("#token", token)
      await page.click("#listAgents .run button")
      await expect.poll(() => page.locator("#listAgents .run pre").textContent()).toMatch(/^200 /)
      expect(errors).toEqual([])
    } finally {
      await browser.close()
    }
  })

  test("can be read without script", { timeout: 120_000 }, async ({ skip }) => {
    const program = await chromiumProgram()
    if (program === undefined) return skip("no Chromium for this machine")
    const browser = await chromium.launch({ ...program, args: ["--no-sandbox"] })
    try {
      const context = await browser.newContext({ javaScriptEnabled: false })
      const page = await context.newPage()
      await page.goto(`${daemon.baseUrl}/docs#createSession`)
      expect(await page.locator("#createSession .fields").first().isVisible()).toBe(true)
      expect(await page.locator("#createSession pre").first().textContent()).toContain(
        `${daemon.baseUrl}/v1/sessions/demo`,
      )
      expect(await page.locator("#search").isVisible()).toBe(false)
    } finally {
      await browser.close()
    }
  })
})
