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

const search = "Search sessions and commands"

test("what is typed after Ctrl K, or after a click on Search, is searched for", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client, daemon } = stage
  const keys = new Keyboard(page)
  await client.createSession("plum", { agent: "mock", title: "A plum", directory: daemon.home })
  await page.getByRole("link", { name: /A plum/ }).waitFor()
  const input = page.getByLabel(search)
  for (const width of [1280, 400]) {
    await page.setViewportSize({ width, height: 800 })
    for (const open of [() => keys.press("Control+k"), () => page.getByRole("button", { name: /^Search/ }).click()]) {
      await open()
      await input.waitFor()
      await keys.isAt(search)
      await keys.type("plum")
      expect(await input.inputValue()).toBe("plum")
      expect(await objections(page)).toEqual([])
      // It can be closed by everybody, and who has no pointer sees where the focus is.
      await keys.reach(/^Close$/, 1, "Shift+Tab")
      await page.getByRole("button", { name: "Close" }).click()
      await page.getByRole("dialog").waitFor({ state: "detached" })
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 })
  await keys.press("Control+k")
  await keys.isAt(search)
  await keys.type("plum")
  await keys.press("Enter")
  await expect.poll(() => hashOf(page)).toContain("#/s/plum")
  expect(stage.faults).toEqual([])
})

test("keys that are pressed in a dialog answer no permission behind it", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  const keys = new Keyboard(page)
  await stage.openSession("behind")
  await stage.send("/permission echo behind")
  await page.getByRole("button", { name: "Allow once" }).waitFor()
  await keys.leave()
  await keys.press("?")
  await page.getByRole("dialog", { name: "Keys" }).waitFor()
  await keys.isAt("Close")
  await keys.press("y", "a", "n")
  // What takes no focus was clicked: the keys go to nothing in the dialog.
  await page.getByRole("dialog").getByText("next item, item before").click()
  await keys.press("y", "a", "n")
  await keys.press("Escape")
  await page.getByRole("dialog").waitFor({ state: "detached" })
  // An answer would have been on its way before this one.
  expect((await client.listPending("behind")).permissions).toHaveLength(1)
  expect(await page.getByRole("button", { name: "Allow once" }).isEnabled()).toBe(true)
  expect(await page.getByLabel("Why not").count()).toBe(0)
  await keys.press("y")
  await page.getByRole("button", { name: "Allow once" }).waitFor({ state: "detached" })
  expect(stage.faults).toEqual([])
})
