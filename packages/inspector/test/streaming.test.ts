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

/** What lies under the middle of the last message, two frames after each of so many scrolls. */
const underPointer = (scrolls: number) => `new Promise((resolve) => {
  const box = document.querySelector(".transcript")
  const found = []
  const look = () => {
    const { left, width, bottom } = box.getBoundingClientRect()
    const at = document.elementFromPoint(left + width / 2, bottom - 40)
    found.push(at?.closest(".row, .message") ? "message" : at?.className)
    if (found.length < ${scrolls}) return
    box.removeEventListener("scroll", onScroll)
    resolve(found)
  }
  const onScroll = () => requestAnimationFrame(() => requestAnimationFrame(look))
  box.addEventListener("scroll", onScroll)
})`

test("while text streams in and the end is followed, what is shown can be pointed at and clicked", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page } = stage
  await stage.openSession("clicked", { permissionMode: "bypass" })
  await stage.send("/flood 1000000 200")
  await page.locator(".message.assistant").waitFor()
  const found = await page.evaluate<string[]>(underPointer(30))
  expect(new Set(found)).toEqual(new Set(["message"]))
  await page.getByRole("button", { name: "Stop turn" }).click()
  await page.getByRole("log").getByText("Stopped.").waitFor()
  expect(stage.faults).toEqual([])
})
