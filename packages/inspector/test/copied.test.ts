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

const answer = "# Found it\n\nThe **total** is in `a.ts`:\n\n```ts\nconst total = 1\n```"

test("a session and an item of it are copied as markdown", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await stage.openSession("copied", { permissionMode: "bypass" })
  await client
    .session("copied")
    .prompt("/think I look first.\n/run printf 'a ```fence``` in it'\n/edit made.txt one line")
  await client.session("copied").prompt(answer)
  await page.locator(".message.assistant h2", { hasText: "Found it" }).waitFor()
  const clipboard = () => page.evaluate<string>("navigator.clipboard.readText()")
  const message = page.locator(".row", { has: page.locator(".message.assistant h2") })
  await message.hover()
  await message.getByRole("button", { name: "Copy as markdown" }).click()
  await expect.poll(clipboard).toBe(answer)
  // A call comes with what came of it, in a fence that nothing in it can end.
  const call = page.locator(".row", { hasText: "printf" }).filter({ has: page.locator(".tool") })
  await call.hover()
  await call.getByRole("button", { name: "Copy as markdown" }).click()
  await expect.poll(clipboard).toContain("````\na ```fence``` in it\n````")
  await page.getByRole("button", { name: "Actions of this session" }).click()
  await page.getByRole("menuitem", { name: "Copy as markdown" }).click()
  await expect.poll(clipboard).toContain("> /edit made.txt one line")
  const whole = await clipboard()
  const parts = [
    "> /think I look first.",
    "I look first.\n\n</details>",
    "````\na ```fence``` in it",
    "+one line",
    answer,
  ]
  const places = parts.map((part) => whole.indexOf(part))
  expect(places).not.toContain(-1)
  expect(places).toEqual(places.toSorted((a, b) => a - b))
  expect(stage.faults).toEqual([])
})

test("a link to an item is copied, and opens at that item in another tab, however far back it is", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client, daemon } = stage
  await client.createSession("linked", { agent: "mock", permissionMode: "bypass", directory: daemon.home })
  await client.session("linked").prompt("/echo the one that is meant")
  await stage.go("#/s/linked")
  const meant = page.locator(".row", { has: page.locator(".message.assistant", { hasText: "the one that is meant" }) })
  await meant.hover()
  await Promise.all([page.getByText("Link copied").waitFor(), meant.getByRole("button", { name: "Copy link" }).click()])
  const link = await page.evaluate<string>("navigator.clipboard.readText()")
  expect(link.startsWith(`${daemon.baseUrl}/ui/#/s/linked?item=`)).toBe(true)
  await client.session("linked").prompt(Array.from({ length: 900 }, (_, i) => `/echo entry ${i}.`).join("\n"))
  // All of it is copied, also what the page has not loaded.
  await page.reload()
  await page.getByText("entry 899.").waitFor()
  await page.getByRole("button", { name: "Actions of this session" }).click()
  await page.getByRole("menuitem", { name: "Copy as markdown" }).click()
  await expect.poll(() => page.evaluate<string>("navigator.clipboard.readText()")).toContain("\n\nentry 899.")
  const whole = await page.evaluate<string>("navigator.clipboard.readText()")
  for (const said of ["\n\nthe one that is meant\n", ...Array.from({ length: 900 }, (_, i) => `\n\nentry ${i}.`)])
    expect(whole).toContain(said)
  const another = await stage.anotherPage()
  await another.goto(link)
  const marked = another.locator(".row.marked", { hasText: "the one that is meant" })
  await marked.waitFor()
  const inView = `(() => {
    const { top, bottom } = document.querySelector(".row.marked").getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight
  })()`
  await expect.poll(() => another.evaluate(inView)).toBe(true)
  // Back and forth in one tab as well.
  await another.evaluate("location.hash = '#/s/copied'")
  await another.locator(".message.assistant h2", { hasText: "Found it" }).waitFor()
  await another.goBack()
  await marked.waitFor()
  await another.close()
  expect(stage.faults).toEqual([])
})
