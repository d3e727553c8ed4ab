import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { hashOf, Stage } from "./harness/page.ts"
import { keepScreens } from "./harness/screen.ts"

let stage: Stage | undefined
beforeAll(async () => {
  stage = await Stage.open()
  await stage?.client.createSession("addressed", { agent: "mock", directory: stage.daemon.home })
  await stage?.signIn("#/s/addressed?tab=files")
}, 300_000)
afterAll(() => stage?.[Symbol.asyncDispose]())
keepScreens(() => stage)

const words = async (page: Stage["page"]) => Object.fromEntries(new URLSearchParams((await hashOf(page)).split("?")[1]))

test("a folder and a file are in the address: reload, back and a link keep them", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, daemon } = stage
  const folder = join(daemon.home, "a folder & more")
  mkdirSync(folder)
  writeFileSync(join(folder, "50%.txt"), "what stands in it")
  await page.getByRole("button", { name: /^a folder & more/ }).click()
  await page.getByRole("button", { name: /^50%\.txt/ }).click()
  await page.getByText("what stands in it").waitFor()
  expect(await words(page)).toEqual({ tab: "files", folder, file: join(folder, "50%.txt") })
  await page.reload()
  await page.getByText("what stands in it").waitFor()
  await page.goBack()
  await page.getByRole("list", { name: `Files in ${folder}` }).waitFor()
  await page.goBack()
  await page.getByRole("list", { name: `Files in ${daemon.home}`, exact: true }).waitFor()
  expect(await words(page)).toEqual({ tab: "files" })
  await page.goForward()
  await page.getByRole("button", { name: /^50%\.txt/ }).waitFor()
  // Another tab has nothing to do with a folder.
  await page.getByRole("tab", { name: "Processes" }).click()
  await expect.poll(() => words(page)).toEqual({ tab: "processes" })
  expect(stage.faults).toEqual([])
})

test("so is the terminal that is shown, until it is closed", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  const { id } = await client.terminals.start({ shell: "echo on the screen; exec cat" })
  await client.terminals.start({ shell: "exec sleep 1000" })
  await page.evaluate(`location.hash = "#/s/addressed?tab=terminal&terminal=${id}"`)
  const shown = page.locator(".terminal-chip", { has: page.locator("[aria-pressed=true]") })
  await expect.poll(() => shown.count()).toBe(1)
  await page.locator(".xterm").waitFor()
  await page.reload()
  await page.locator(".xterm").waitFor()
  expect(await words(page)).toEqual({ tab: "terminal", terminal: id })
  await shown.getByRole("button", { name: /^Close terminal/ }).click()
  await expect.poll(() => words(page)).toEqual({ tab: "terminal" })
  await page.getByText("Choose one, or open another.").waitFor()
  expect(stage.faults).toEqual([])
})
