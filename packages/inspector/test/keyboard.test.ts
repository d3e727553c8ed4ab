import { afterAll, beforeAll, expect, test } from "vitest"
import { Stage } from "./harness/page.ts"
import { keepScreens } from "./harness/screen.ts"

let stage: Stage | undefined
beforeAll(async () => {
  stage = await Stage.open()
  await stage?.signIn()
}, 300_000)
afterAll(() => stage?.[Symbol.asyncDispose]())
keepScreens(() => stage)

test("by keyboard alone the focus is always where one goes on", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  const focused = () =>
    page.evaluate<string>(
      "(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent ?? '').trim()",
    )
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const isAt = (what: RegExp | string) => expect.poll(focused).toMatch(what)
  /** Presses Tab until it is there, at most so often: what is far away is not reached. */
  const reach = async (what: RegExp, most: number, key = "Tab") => {
    for (let presses = 0; presses < most && !what.test(await focused()); presses++) await press(key)
    expect(await focused()).toMatch(what)
  }
  const composer = "Message to the agent"

  await press("g", "n")
  await page.locator(".agent-card").first().waitFor()
  await reach(/^Create session$/, 12)
  await press("Enter")
  await isAt(composer)
  // One is answered: the next card has the focus, so that its keys count; after the last it is the composer's.
  await page.keyboard.type("/permission echo one")
  await press("Enter")
  await page.locator(".card.waits", { hasText: "echo one" }).waitFor()
  await reach(/^Allow once/, 4, "Shift+Tab")
  await press("Enter")
  await isAt(composer)
  await page.keyboard.type("/question")
  await press("Enter")
  await page.getByText("Which color?").waitFor()
  await reach(/^Green/, 6, "Shift+Tab")
  await press("Enter")
  await isAt(composer)
  await page.keyboard.type("/sleep 600000")
  await press("Enter")
  await page.getByRole("button", { name: "Stop turn" }).waitFor()
  await page.keyboard.type("/echo never said")
  await press("Enter")
  await page.locator(".queue").waitFor()
  await reach(/^Withdraw/, 3, "Shift+Tab")
  await press("Enter")
  await isAt(composer)
  await press("Escape", "Escape")
  await page.getByRole("log").getByText("Stopped.").waitFor()
  // Places begin where one goes on from.
  await page.evaluate("document.activeElement.blur()")
  await press("g", "c")
  await isAt(/^Terminal$/)
  // What the tab holds is loaded when it is first shown.
  await page.getByRole("button", { name: "Open a terminal" }).waitFor()
  await reach(/Open a terminal/, 3)
  await press("g", "f")
  await isAt(/^Files$/)
  await press("/")
  await isAt("Filter sessions")
  await press("Escape", "g", "s")
  // Deleted from its menu, and taken back: one is where one was.
  const { hash } = new URL(page.url())
  await page.evaluate("history.back()")
  await page.getByRole("button", { name: "Actions of this session" }).focus()
  const made = decodeURIComponent(new URL(page.url()).hash.replace(/^#\/s\/|\?.*/g, ""))
  await press("Enter")
  await isAt("Rename")
  await press("End")
  await isAt("Delete")
  await press("Home", "ArrowUp", "Enter")
  await isAt("Undo")
  await press("Enter")
  await page.getByLabel(composer).waitFor()
  expect((await client.getSession(made)).id).toBe(made)
  expect(new URL(page.url()).hash).toContain(made)
  expect(hash).not.toContain(made)
  expect(stage.faults).toEqual([])
})
