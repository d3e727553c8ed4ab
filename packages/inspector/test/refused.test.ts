import { afterAll, beforeAll, expect, test } from "vitest"
import { TestDaemon } from "../../sandbox-agent/test/harness/daemon.ts"
import { objections } from "./harness/axe.ts"
import { Stage, token } from "./harness/page.ts"
import { keepScreens } from "./harness/screen.ts"

let stage: Stage | undefined
beforeAll(async () => {
  stage = await Stage.open()
}, 300_000)
afterAll(() => stage?.[Symbol.asyncDispose]())
keepScreens(() => stage)

test("a daemon that is not called by its name, or is gone, is told in words of its own", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, daemon } = stage
  await using other = await TestDaemon.start("--cors-allow-origin", daemon.baseUrl)
  await page.goto(`${daemon.baseUrl}/ui/`)
  const connect = async (address: string) => {
    await page.getByLabel("Daemon", { exact: true }).fill(address)
    await page.getByLabel("Token").fill(token)
    await page.getByRole("button", { name: "Connect" }).click()
  }
  // Every name below localhost is this machine's, and the daemon knows none of them.
  await connect(other.baseUrl.replace("127.0.0.1", "box.localhost"))
  await stage.shows("The daemon does not take this name")
  await stage.shows("--allow-host box.localhost")
  expect(await objections(page)).toEqual([])
  await other.end("SIGTERM")
  await connect(other.baseUrl)
  await stage.shows("Nothing answers, or this page is kept out")
  await daemon.end("SIGTERM")
  await connect(daemon.baseUrl)
  await stage.shows("Nothing answers")
  await stage.shows("The daemon that served this page is gone")
  await daemon.begin()
  await connect(daemon.baseUrl)
  await page.waitForSelector(".workspace")
  expect(stage.faults).toEqual([])
})

test("what cannot be a token is told to be none, and what is no address to be none", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, daemon } = stage
  const fresh = await page.context().browser()?.newContext()
  const other = (await fresh?.newPage()) ?? expect.unreachable("no page")
  await other.goto(`${daemon.baseUrl}/ui/`)
  await other.getByLabel("Token").fill(`${token}€`)
  await other.getByRole("button", { name: "Connect" }).click()
  await other.getByText("This is no token").waitFor()
  await other.getByText("sandbox-agent daemon token").waitFor()
  await other.getByLabel("Daemon", { exact: true }).fill("here")
  await other.getByRole("button", { name: "Connect" }).click()
  await other.getByText("This is no address").waitFor()
  await other.getByLabel("Daemon", { exact: true }).fill(daemon.baseUrl)
  await other.getByLabel("Token").fill(` ${token} `)
  await other.getByRole("button", { name: "Connect" }).click()
  await other.waitForSelector(".workspace")
  await fresh?.close()
})

test("light and dark are as the system has them until somebody chooses, and then as chosen", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page } = stage
  await stage.signIn()
  const background = () => page.evaluate<string>("getComputedStyle(document.body).backgroundColor")
  await page.emulateMedia({ colorScheme: "dark" })
  const dark = await background()
  await page.emulateMedia({ colorScheme: "light" })
  const light = await background()
  expect(light).not.toBe(dark)
  await page.getByRole("button", { name: "Light or dark" }).click()
  expect(await background()).toBe(dark)
  await page.reload()
  await page.waitForSelector(".workspace")
  expect(await background()).toBe(dark)
  await page.getByRole("button", { name: "Light or dark" }).click()
  expect(await background()).toBe(light)
  expect(stage.faults).toEqual([])
})
