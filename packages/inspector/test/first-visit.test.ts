import { createServer } from "node:http"
import { daemonProgram } from "@sandbox-agent/test-agents/daemon-program"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startProcess } from "../../acp-http-client/test/servers/process.ts"
import { objections } from "./harness/axe.ts"
import { hashOf, Stage, token } from "./harness/page.ts"
import { keepScreens } from "./harness/screen.ts"

let stage: Stage | undefined
beforeAll(async () => {
  stage = await Stage.open()
}, 300_000)
afterAll(() => stage?.[Symbol.asyncDispose]())
keepScreens(() => stage)

test("without a token: a screen that says what is missing, in words of its own for each failure", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, daemon } = stage
  await page.goto(`${daemon.baseUrl}/ui/`)
  await stage.shows("This daemon asks for a token")
  expect(await objections(page)).toEqual([])
  const connect = async (address: string, secret: string) => {
    await page.getByLabel("Daemon", { exact: true }).fill(address)
    await page.getByLabel("Token").fill(secret)
    await page.getByRole("button", { name: "Connect" }).click()
  }
  await connect(daemon.baseUrl, "wrong")
  await stage.shows("The token is wrong")
  // The same daemon by another name is another place: it does not take this page.
  await connect(daemon.baseUrl.replace("127.0.0.1", "localhost"), token)
  await stage.shows("Nothing answers, or this page is kept out")
  await page.getByRole("alert").getByText(`--cors-allow-origin ${daemon.baseUrl}`).waitFor()
  await connect("nonsense", token)
  await stage.shows("This is no address")
  const other = createServer((_, answer) =>
    answer.setHeader("access-control-allow-origin", "*").setHeader("access-control-allow-headers", "*").end("hello"),
  )
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve))
  const { port } = other.address() as { port: number }
  await connect(`http://127.0.0.1:${port}`, token)
  await stage.shows("Something else answers there")
  other.close()
  await connect(daemon.baseUrl, token)
  await page.waitForSelector(".workspace")
})

test("the address that a daemon prints opens signed in, once, and the ticket is gone from it", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  await using own = await startProcess([...daemonProgram(), "server", "--port", "0", "--store", "memory"], {
    env: { HOME: stage.daemon.home },
    says: /open {7}(http:\/\/\S+)/,
  })
  const fresh = await stage.browser.newContext()
  const page = await fresh.newPage()
  await page.goto(own.url)
  await page.waitForSelector(".workspace")
  expect(await hashOf(page)).not.toContain("ticket")
  await page.reload()
  await page.waitForSelector(".workspace")
  await fresh.close()
  const second = await (await stage.browser.newContext()).newPage()
  await second.goto(own.url)
  await second.getByText("The link was used already").waitFor()
  expect(await hashOf(second)).not.toContain("ticket")
  await second.close()
})

test("two clicks from nothing to a session that streams; it is there again after a reload", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page } = stage
  await stage.signIn()
  await stage.shows("Every coding agent, one page")
  expect(await objections(page)).toEqual([])
  await page.getByRole("button", { name: "Try the mock agent" }).click()
  await page.locator(".message.assistant h2", { hasText: "Hello" }).waitFor()
  await page.locator(".message.assistant li code", { hasText: "/permission ls" }).waitFor()
  const hash = await hashOf(page)
  await page.reload()
  await page.locator(".message.assistant h2", { hasText: "Hello" }).waitFor()
  expect(await hashOf(page)).toBe(hash)
  expect(await objections(page)).toEqual([])
})

test("sessions of anybody are listed live; a new one is made with every option, the last choices kept", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client, daemon } = stage
  await client.createSession("elsewhere", { agent: "mock", title: "Made elsewhere", directory: daemon.home })
  await page.getByRole("link", { name: /Made elsewhere/ }).waitFor()
  await client.postMessage("elsewhere", { message: "/title Named by the agent\n/permission true" })
  await page.getByRole("link", { name: /Named by the agent.*1/ }).waitFor()
  await expect.poll(() => page.title()).toMatch(/^\(1\) /)
  await page.getByRole("button", { name: "1 waiting" }).click()
  await page.getByRole("button", { name: "Allow once" }).click()
  await expect.poll(() => page.title()).not.toMatch(/^\(/)

  await page.getByRole("button", { name: "New session" }).first().click()
  await page.getByRole("radio", { name: /^Mock/ }).check()
  await page.getByLabel("Directory").fill(daemon.home)
  await page.getByLabel("Permission mode").selectOption("bypass")
  await page.getByLabel("Agent mode").selectOption("plan")
  await page.getByText("More options").click()
  await page.getByLabel("Title").fill("Made with the form")
  await page.getByLabel("Session id").fill("of-the-form")
  await page.getByLabel("Metadata").fill("{")
  expect(await page.getByRole("button", { name: "Create session" }).isDisabled()).toBe(true)
  await page.getByLabel("Metadata").fill('{"ticket": 42}')
  expect(await objections(page)).toEqual([])
  await page.getByRole("button", { name: "Create session" }).click()
  await page.getByRole("heading", { name: "Made with the form" }).waitFor()
  expect(await client.getSession("of-the-form")).toMatchObject({
    permissionMode: "bypass",
    agentMode: "plan",
    directory: daemon.home,
    metadata: { ticket: 42 },
  })
  await stage.go("#/new")
  expect(await page.getByLabel("Permission mode").inputValue()).toBe("bypass")

  await page.getByLabel("Filter sessions").fill("mock form")
  expect(await page.locator("a.session").count()).toBe(1)
  await page.getByLabel("Filter sessions").fill("")
  await client.deleteSession("elsewhere")
  await page.getByRole("link", { name: /Named by the agent/ }).waitFor({ state: "detached" })
  await stage.go("#/agents")
  await page.getByRole("heading", { name: "Mock" }).waitFor()
  expect(await objections(page)).toEqual([])
  expect(stage.faults).toEqual([])
})

test("several daemons side by side: another one is looked at, and the first is a click away", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, daemon } = stage
  const flags = ["server", "--port", "0", "--store", "memory", "--cors-allow-origin", daemon.baseUrl]
  await using other = await startProcess([...daemonProgram(), ...flags], {
    env: { HOME: daemon.home, SANDBOX_AGENT_TOKEN: "of-another" },
  })
  const hostOf = (url: string) => new URL(url).host
  await page.getByRole("button", { name: `Daemon ${hostOf(daemon.baseUrl)}` }).click()
  await page.getByRole("menuitem", { name: "Another daemon" }).click()
  await page.getByLabel("Daemon", { exact: true }).fill(other.url)
  await page.getByLabel("Token").fill("of-another")
  await page.getByRole("button", { name: "Connect" }).click()
  await stage.shows("Every coding agent, one page")
  await page.getByRole("button", { name: "Try the mock agent" }).click()
  await page.locator(".message.assistant h2", { hasText: "Hello" }).waitFor()
  await page.getByRole("button", { name: `Daemon ${hostOf(other.url)}` }).click()
  await page.getByRole("menuitem", { name: hostOf(daemon.baseUrl) }).click()
  await page.getByRole("link", { name: /Made with the form/ }).waitFor()
  expect(stage.faults).toEqual([])
})
