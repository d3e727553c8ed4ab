import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { objections } from "./harness/axe.ts"
import { Keyboard } from "./harness/keyboard.ts"
import { hashOf, Stage } from "./harness/page.ts"
import { keepScreens } from "./harness/screen.ts"

let stage: Stage | undefined
beforeAll(async () => {
  stage = await Stage.open()
  await stage?.signIn()
}, 300_000)
afterAll(() => stage?.[Symbol.asyncDispose]())
keepScreens(() => stage)

const composer = "Message to the agent"
const gone = (page: Page) => page.getByRole("heading", { name: "This session was deleted" })
/** What was told of something that failed. */
const told = (page: Page) => page.locator(".notice.bad").count()

test("a session that is deleted elsewhere is shown as deleted, in every tab, with its permission", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  const keys = new Keyboard(page)
  await stage.openSession("deleted", { title: "To be deleted" })
  const other = await stage.anotherPage()
  await stage.openAt(other, stage.daemon.baseUrl)
  await other.getByRole("link", { name: /To be deleted/ }).waitFor()
  await stage.send("/permission echo never")
  await page.getByRole("button", { name: "Allow once" }).waitFor()
  await page.getByText("1 waiting").waitFor()
  await page.getByLabel(composer).fill("what I had typed")
  await client.deleteSession("deleted")
  await gone(page).waitFor()
  expect(await page.getByRole("button", { name: /Resume|Allow once|Send/ }).count()).toBe(0)
  // One is where one goes on, and has what one had typed.
  await keys.isAt("All sessions")
  await page.getByRole("button", { name: "Copy what you typed" }).click()
  await expect.poll(() => page.evaluate<string>("navigator.clipboard.readText()")).toBe("what I had typed")
  // It is in no list any more, and nothing waits.
  for (const one of [page, other]) await one.getByRole("link", { name: /To be deleted/ }).waitFor({ state: "detached" })
  expect(await page.locator("button.waiting").count()).toBe(0)
  expect(await page.title()).toBe("Sandbox Agent")
  expect(await objections(page)).toEqual([])
  await page.getByRole("button", { name: "All sessions" }).click()
  await page.getByRole("heading", { name: /Choose a session|Every coding agent/ }).waitFor()
  expect(await told(page)).toBe(0)
  await other.close()
  expect(stage.faults).toEqual([])
})

test("the side panel of a session that is deleted elsewhere keeps to the machine, and what is edited there stays", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client, daemon } = stage
  const path = join(daemon.home, "edited.txt")
  writeFileSync(path, "before\n")
  await stage.openSession("edited")
  await stage.go("#/s/edited?tab=files")
  await page.getByRole("button", { name: /^edited\.txt/ }).click()
  await page.getByRole("button", { name: "Edit", exact: true }).click()
  const editor = page.getByLabel(`Content of ${path}`)
  await editor.fill("not saved yet")
  await client.deleteSession("edited")
  await gone(page).waitFor()
  expect(await editor.inputValue()).toBe("not saved yet")
  for (const name of ["Details", "Events", "Timeline"])
    expect(await page.getByRole("tab", { name }).isDisabled()).toBe(true)
  // What is started now belongs to no session.
  await page.getByRole("tab", { name: "Processes" }).click()
  await page.getByLabel("Command").fill("echo without it")
  await page.getByRole("button", { name: "Start" }).click()
  await page.locator(".process-log", { hasText: "without it" }).waitFor()
  // An address that leads to it says so at once.
  await stage.go("#/agents")
  await stage.go("#/s/edited?tab=details")
  await page.getByRole("heading", { name: "This session cannot be shown" }).or(gone(page)).waitFor()
  expect(await page.getByRole("tab", { name: "Details" }).isDisabled()).toBe(true)
  expect(await told(page)).toBe(0)
  expect(stage.faults).toEqual([])
})

test("another session that takes the id of a deleted one is shown in its place", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await stage.openSession("again", { title: "The first" })
  await stage.send("/echo of the first")
  await page.locator(".message.assistant", { hasText: "of the first" }).waitFor()
  await client.deleteSession("again")
  await gone(page).waitFor()
  await client.createSession("again", { agent: "mock", title: "The second", directory: stage.daemon.home })
  await client.postMessage("again", { message: "/echo of the second" })
  await page.getByRole("heading", { name: "The second" }).waitFor()
  await page.locator(".message.assistant", { hasText: "of the second" }).waitFor()
  expect(await page.getByText("of the first").count()).toBe(0)
  expect(await hashOf(page)).toContain("#/s/again")
  await page.getByLabel(composer).waitFor()
  expect(stage.faults).toEqual([])
})

test("what is removed here and was removed elsewhere just before is gone, and no failure", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await stage.openSession("twice", { title: "Deleted twice" })
  await page.getByRole("button", { name: "Actions of this session" }).click()
  const asked = page.waitForResponse((response) => response.request().method() === "DELETE")
  await page.getByRole("menuitem", { name: "Delete" }).click()
  await client.deleteSession("twice")
  expect((await asked).status()).toBe(404)

  const { id } = await client.processes.start({ command: "echo", args: ["over"] })
  const terminal = await client.terminals.start({})
  await stage.go("#/?tab=processes")
  const remove = page.getByRole("button", { name: "Remove echo over" })
  await remove.waitFor()
  // The page does not learn of it before it asks.
  const removed = Promise.withResolvers<void>()
  await page.route("**/v1/processes", async (route) => {
    await removed.promise
    await route.fallback()
  })
  await client.processes.remove(id)
  const refused = page.waitForResponse((response) => response.request().method() === "DELETE")
  await remove.click()
  expect((await refused).status()).toBe(404)
  removed.resolve()
  await remove.waitFor({ state: "detached" })

  await stage.go(`#/?tab=terminal&terminal=${terminal.id}`)
  await page.locator(".xterm-rows").waitFor()
  await client.terminals.close(terminal.id)
  await page.getByText("None is open.").waitFor()
  expect(await told(page)).toBe(0)
  expect(stage.faults).toEqual([])
})
