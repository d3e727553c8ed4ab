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

test("the end is followed, unless the reader scrolled up: then what is new is counted and nothing moves", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await stage.openSession("followed", { permissionMode: "bypass" })
  const session = client.session("followed")
  await session.prompt(Array.from({ length: 60 }, (_, i) => `/echo entry ${i}.`).join("\n"))
  const box = page.locator(".transcript")
  const fromEnd = () =>
    page.evaluate<number>(`(() => {
      const { scrollHeight, scrollTop, clientHeight } = document.querySelector(".transcript")
      return Math.round(scrollHeight - scrollTop - clientHeight)
    })()`)
  await page.getByText("entry 59.").waitFor()
  await expect.poll(fromEnd).toBeLessThan(40)
  await session.prompt("/echo followed to here")
  await page.locator(".message.assistant", { hasText: "followed to here" }).waitFor()
  await expect.poll(fromEnd).toBeLessThan(40)
  // By the wheel, as a reader does.
  await box.hover()
  await page.mouse.wheel(0, -1200)
  await page.getByRole("button", { name: "To the end" }).waitFor()
  const places = () =>
    page.evaluate<string[]>(`[...document.querySelectorAll(".transcript .row")].flatMap((row) => {
      const { top, bottom } = row.getBoundingClientRect()
      const box = document.querySelector(".transcript").getBoundingClientRect()
      return bottom > box.top && top < box.bottom ? [row.id + " " + Math.round(top)] : []
    })`)
  // What came into sight is drawn a frame later.
  const isDrawn = `(() => {
    const { left, width, bottom } = document.querySelector(".transcript").getBoundingClientRect()
    return document.elementFromPoint(left + width / 2, bottom - 2)?.closest(".row") !== null
  })()`
  await expect.poll(() => page.evaluate(isDrawn)).toBe(true)
  const before = await places()
  await session.prompt("/echo unseen")
  // The turn, what was asked and what was answered.
  await page.getByRole("button", { name: /^3 new items/ }).waitFor()
  expect(await places()).toEqual(before)
  await page.getByRole("button", { name: /^3 new items/ }).click()
  await page.locator(".message.assistant", { hasText: "unseen" }).waitFor()
  await expect.poll(fromEnd).toBeLessThan(40)
  await page.getByRole("button", { name: /new items|To the end/ }).waitFor({ state: "detached" })
  session.close()
  expect(stage.faults).toEqual([])
})

test("an item and its events lead to each other, and a turn shows what the model, tools and people took", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await stage.openSession("both-ways", { permissionMode: "bypass" })
  await client.session("both-ways").prompt(`/think a thought\n/run echo ran\n/usage\n/echo said`)
  await client.session("both-ways").prompt(Array.from({ length: 60 }, (_, i) => `/echo entry ${i}.`).join("\n"))
  const { items } = await client.listItems("both-ways")
  const said = items.find(({ role, content }) => role === "assistant" && JSON.stringify(content).includes('"said"'))
  const { events } = await client.getEvents("both-ways", { offset: 0, limit: 1000 })
  const completed = events.find(
    ({ type, data }) => type === "item.completed" && JSON.stringify(data).includes(said?.item_id ?? "none"),
  )
  await stage.go(`#/s/both-ways?tab=events&event=${completed?.sequence}`)
  await page
    .getByRole("region", { name: `Event ${completed?.sequence}` })
    .getByRole("button", { name: "Show item" })
    .click()
  const row = page.locator(".row.marked", { hasText: "said" })
  await row.waitFor()
  await row.hover()
  await row.getByRole("button", { name: "Show its events" }).click()
  const first = events.find(
    ({ type, data }) => type === "item.started" && JSON.stringify(data).includes(said?.item_id ?? "none"),
  )
  await page.getByRole("region", { name: `Event ${first?.sequence}` }).waitFor()
  // Turn 1 in the timeline: its kinds of time, its tokens and cost, and each part leads to its item.
  await stage.go("#/s/both-ways")
  await page.locator(".transcript").hover()
  await page.mouse.wheel(0, -1_000_000)
  await page.locator("button.turn", { hasText: /Turn 1/ }).click()
  await page.getByRole("heading", { name: "Turn 1" }).waitFor()
  for (const kind of ["Model", "Tools", "Waiting for a person"])
    await page.locator(".legend li", { hasText: new RegExp(`^${kind} \\d`) }).waitFor()
  await page.locator(".timeline .facts", { hasText: "1.6k in, 400 out" }).getByText("$0.").waitFor()
  await page.locator(".bars button", { hasText: "echo ran" }).click()
  await page.locator(".row.marked", { hasText: "echo ran" }).waitFor()
  expect(stage.faults).toEqual([])
})

test("a long session opens at its end; the past comes as one scrolls, and a link leads to any item", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await client.createSession("long", { agent: "mock", permissionMode: "bypass", directory: stage.daemon.home })
  const session = client.session("long")
  await session.prompt(Array.from({ length: 900 }, (_, i) => `/echo entry ${i}.`).join("\n"))
  await stage.go("#/s/long")
  await page.getByText("entry 899.").waitFor()
  const first = (await client.listItems("long")).items.find((item) => JSON.stringify(item.content).includes("entry 3."))
  await stage.go(`#/s/long?item=${first?.item_id}`)
  await page.locator(".row.marked", { hasText: "entry 3." }).waitFor()
  // Drawn are those that can be seen.
  expect(await page.locator(".row").count()).toBeLessThan(120)
  const end = page.locator(".message.assistant", { hasText: "entry 899." })
  await page.getByRole("button", { name: "To the end" }).click()
  await end.waitFor()
  await client.postMessage("long", { message: "/echo one more" })
  await page.locator(".message.assistant", { hasText: "one more" }).waitFor()
  // Who turns back as soon as the item is there is not led to it again, though rows are measured anew.
  const away = await page.evaluate<number[]>(`new Promise((resolve) => {
    const box = document.querySelector(".transcript")
    const distances = []
    const look = () => {
      if (document.querySelector(".pill") === null) distances.push(box.scrollHeight - box.scrollTop - box.clientHeight)
      if (distances.length === 3) Array.from(document.querySelectorAll(".row")).at(-1).style.minHeight = "90px"
      if (distances.length === 30) resolve(distances)
      else requestAnimationFrame(look)
    }
    new MutationObserver((_, watch) => {
      const pill = document.querySelector(".row.marked") && document.querySelector(".pill")
      if (!pill) return
      watch.disconnect()
      pill.click()
      requestAnimationFrame(look)
    }).observe(document.body, { subtree: true, childList: true, attributes: true })
    location.hash = "#/s/long"
    setTimeout(() => { location.hash = "#/s/long?item=${first?.item_id}" })
  })`)
  expect(Math.max(...away)).toBeLessThan(100)
})

test("what is loaded of the past is not told as new to whoever left the end", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await client.createSession("past", { agent: "mock", permissionMode: "bypass", directory: stage.daemon.home })
  await client.session("past").prompt(Array.from({ length: 900 }, (_, i) => `/echo entry ${i}.`).join("\n"))
  await stage.go("#/s/past")
  await page.locator(".message.assistant", { hasText: "entry 899." }).waitFor()
  await page.locator(".transcript").hover()
  await page.mouse.wheel(0, -2_000)
  const pill = page.locator(".pill")
  await pill.filter({ hasText: "To the end" }).waitFor()
  await expect
    .poll(async () => {
      await page.mouse.wheel(0, -100_000)
      return page.locator("button.turn", { hasText: "Turn 1" }).count()
    })
    .toBe(1)
  expect(await pill.textContent()).toContain("To the end")
  await client.session("past").prompt("/echo this is new")
  // What was asked, what was answered, and the lines of the turn.
  await pill.filter({ hasText: /^[2-4] new items/ }).waitFor()
})
