import { mkdirSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { error, reply, text, thinking, toolCall } from "@sandbox-agent/scripted-model/script"
import { claudeBinary, newest } from "@sandbox-agent/test-agents/claude"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Stage } from "./harness/page.ts"
import { keepScreens } from "./harness/screen.ts"

/** Whoever is asked for something here was told of what somebody looked at. */
const asked: string[] = []
const elsewhere = createServer((request, answer) => {
  asked.push(request.url ?? "")
  answer.setHeader("access-control-allow-origin", "*").end()
})
let stage: Stage | undefined
/** Runs, or loads from elsewhere, wherever it is taken for more than text. */
let evil = ""
beforeAll(async () => {
  await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve))
  const { port } = elsewhere.address() as { port: number }
  const at = (name: string) => `http://127.0.0.1:${port}/${name}`
  evil = [
    `"><img src=${at("img")} onerror="window.pwned=1"><script>window.pwned=1</script><svg onload="window.pwned=1">`,
    `<link rel=stylesheet href=${at("css")}><iframe srcdoc="<script>parent.pwned=1</script>"></iframe>`,
    `![i](${at("markdown")}) [l](javascript:window.pwned=1) {{constructor.constructor('window.pwned=1')()}}`,
    `<style>*{background:url(${at("style")})}</style><base href=${at("base/")}>`,
  ].join("")
  stage = await Stage.open("--agent-path", `claude=${claudeBinary(newest)}`)
  await stage?.context.grantPermissions(["notifications", "clipboard-read", "clipboard-write"])
}, 300_000)
afterAll(async () => {
  elsewhere.closeAllConnections()
  elsewhere.close()
  await stage?.[Symbol.asyncDispose]()
})
keepScreens(() => stage)

/** Keeps what the page tells the system, which is always looked away from. */
const watch = `{
  window.told = []
  Object.defineProperty(document, "hidden", { get: () => true })
  window.Notification = class extends Notification {
    // A headless shell, such as the registry has, grants it to nobody.
    static permission = "granted"
    constructor(title, options) {
      super(title, options)
      window.told.push([title, options.body])
    }
  }
}`

/** A file may not have a slash in its name, and some 250 bytes. */
const named = (ending: string) => `<img src=x onerror=window.pwned=1><svg onload=window.pwned=1>"'&amp;.${ending}`

/** From the first row to the last: what is opened pushes others away, and what is far away is not drawn. */
async function openAll(page: Page): Promise<void> {
  const closed = page.locator(".tool:not([open]) > summary, .reasoning:not([open]) > summary")
  const left = () =>
    page.evaluate<[number, number]>(`(() => {
    const { scrollTop, scrollHeight, clientHeight } = document.querySelector(".transcript")
    return [scrollTop, scrollHeight - clientHeight - scrollTop]
  })()`)
  await page.locator(".transcript").hover()
  await page.mouse.wheel(0, -100_000)
  await expect.poll(async () => (await left())[0]).toBe(0)
  let opened = 0
  do {
    for (; (await closed.count()) > 0; opened++) await closed.first().click()
    await page.locator(".transcript").hover()
    await page.mouse.wheel(0, 300)
  } while ((await left())[1] > 1)
  expect(opened).toBeGreaterThan(3)
}

test("no field that an agent fills runs, is loaded from elsewhere or becomes more than text", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client, daemon } = stage
  const directory = join(daemon.home, named("folder"))
  mkdirSync(directory)
  writeFileSync(join(directory, named("txt")), `needle ${evil}\n`)
  writeFileSync(
    join(directory, named("svg")),
    `<svg xmlns="http://www.w3.org/2000/svg" onload="window.pwned=1">${evil}</svg>`,
  )
  await using model = await startScriptedModel({
    script: [
      reply(
        thinking(evil),
        text(evil),
        toolCall("TodoWrite", { todos: [{ content: evil, status: "in_progress", activeForm: evil }] }),
      ),
      reply(
        toolCall("Bash", { command: `touch made; echo ${JSON.stringify(evil)} # ${named("sh")}`, description: evil }),
      ),
      reply(toolCall("Write", { file_path: join(directory, named("html")), content: evil })),
      reply(toolCall("Read", { file_path: join(directory, named("txt")) })),
      reply(toolCall("mcp__x__<img/src=x/onerror=window.pwned=1>", { [evil]: evil })),
      reply(
        toolCall("AskUserQuestion", {
          questions: [
            {
              question: `${evil}?`,
              header: "<b>head</b>",
              multiSelect: false,
              options: [
                { label: `one ${evil}`, description: evil },
                { label: "two", description: evil },
              ],
            },
          ],
        }),
      ),
      ...Array.from({ length: 12 }, () => error(400, evil)),
    ],
  })
  const env = {
    HOME: directory,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "dummy",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "1",
  }
  const outside: string[] = []
  page.on("request", (request) => {
    if (!request.url().startsWith(daemon.baseUrl) && !request.url().startsWith("blob:")) outside.push(request.url())
  })
  page.on("dialog", (dialog) => {
    outside.push(dialog.message())
    void dialog.dismiss()
  })
  await page.addInitScript(watch)
  await stage.signIn()
  await client.createSession("hostile", {
    agent: "claude",
    directory,
    env,
    title: evil.slice(0, 190),
    metadata: { [evil.slice(0, 60)]: evil },
  })
  await stage.go("#/s/hostile")
  await page.getByLabel("Message to the agent").waitFor()
  await client.postMessage("hostile", { message: evil })
  const card = page.locator(".card.waits")
  for (const shown of [".command", ".diff .add"]) {
    await card.locator(shown, { hasText: "window.pwned" }).first().waitFor()
    await page.getByRole("button", { name: "Allow once" }).click()
  }
  await card.getByRole("button", { name: /^one/ }).waitFor()
  expect(await card.getByText("window.pwned").count()).toBeGreaterThan(2)
  // While it waits: what is answered before the list of sessions has heard of it is not told.
  await expect.poll(() => page.evaluate<string>('window.told[0]?.[0] ?? ""')).toContain("<img")
  await card.getByRole("button", { name: /^one/ }).click()
  await page.getByRole("group", { name: "The turn failed" }).getByText("window.pwned").waitFor()
  await page.locator(".plan summary").click()
  await page.locator(".plan", { hasText: "window.pwned" }).waitFor()
  // All that was called, opened; then every tab, with the words of the agent in it.
  await openAll(page)
  const tab = async (name: string, text = "pwned") => {
    await stage?.go(`#/s/hostile?tab=${name}`)
    await page.locator(".panel-body", { hasText: text }).waitFor()
  }
  await tab("details")
  await tab("events", "permission.requested")
  await page.locator(".panel-body .event", { hasText: "item.completed" }).last().click()
  await page.locator(".event-detail").waitFor()
  await tab("timeline", "Turn 1")
  await tab("http", "/v1/sessions/hostile")
  await tab("files", "onerror")
  await page.getByRole("button", { name: /txt/ }).first().click()
  await page.locator(".file-text", { hasText: "needle" }).waitFor()
  await page.getByRole("button", { name: "Back to the folder" }).click()
  await page.getByLabel("Search in files").fill("needle")
  await page.locator(".entries .event", { hasText: "needle" }).waitFor()
  await page.getByLabel("Search in files").fill("")
  await page.getByRole("button", { name: /svg/ }).last().click()
  await page.getByRole("button", { name: "Back to the folder" }).waitFor()
  const { id } = await client.processes.start({
    command: "sh",
    args: ["-c", 'printf "%s\\n" "$0"; exec sleep 1000', evil],
  })
  await tab("processes")
  await page.locator(".process button", { hasText: "pwned" }).first().click()
  await page.locator(".process-log", { hasText: "pwned" }).waitFor()
  await client.processes.remove(id, { force: true })
  await page.keyboard.press("Control+k")
  await page
    .getByRole("option", { name: /onerror/ })
    .first()
    .waitFor()
  await page.keyboard.press("Escape")
  // Text all of it: nothing was made of it, nothing ran, nothing was asked for.
  const made = "script:not([src]), iframe, base, link[href*=css], [onerror], [onload], style:not([data-vite-dev-id])"
  const found = await page.evaluate<string[]>(
    `[...document.querySelectorAll(${JSON.stringify(made)})].filter((one) => /pwned|127.0.0.1/.test(one.outerHTML)).map((one) => one.outerHTML)`,
  )
  expect(found).toEqual([])
  const links = await page.evaluate<string[]>("[...document.querySelectorAll('a')].map((one) => one.protocol)")
  expect(links.filter((protocol) => !/^https?:$/.test(protocol))).toEqual([])
  expect(await page.evaluate("window.pwned ?? 0")).toBe(0)
  expect(outside).toEqual([])
  expect(asked).toEqual([])
  expect(stage.faults).toEqual([])
}, 180_000)
