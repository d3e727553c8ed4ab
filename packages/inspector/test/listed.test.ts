import { afterAll, beforeAll, expect, test } from "vitest"
import { objections } from "./harness/axe.ts"
import { Stage } from "./harness/page.ts"
import { keepScreens } from "./harness/screen.ts"

let stage: Stage | undefined
beforeAll(async () => {
  stage = await Stage.open()
  await stage?.signIn()
}, 300_000)
afterAll(() => stage?.[Symbol.asyncDispose]())
keepScreens(() => stage)

/** What the list says of each session, as it is read aloud. */
const states = (found: Stage) =>
  found.page.evaluate<
    Record<string, string>
  >(`Object.fromEntries([...document.querySelectorAll("a.session")].map((row) =>
    [row.querySelector(".session-title").textContent, row.querySelector(".session-more > :last-child").textContent]))`)

test("the list says in words what became of each session, and is filtered by them", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client, daemon } = stage
  const make = async (title: string, ...scripts: string[]) => {
    const { session } = await client.createSession(title, { agent: "mock", title, directory: daemon.home })
    for (const message of scripts) await client.postMessage(session.id, { message })
  }
  await make("well", "/echo done")
  await make("stopped", "/sleep 600000")
  await make("broke", "/error the model is overloaded")
  await make("died", "/crash 7")
  await make("asks", "/permission ls")
  await make("works", "/sleep 600000")
  await make("over", "/echo done")
  await make("broke-over", "/error too late")
  await expect.poll(async () => (await client.getSession("broke-over")).error?.code).toBe("mock_error")
  await client.cancelTurn("stopped")
  for (const id of ["over", "broke-over"]) await client.rest.terminateSession(id)
  const expected = {
    well: "idle",
    stopped: "idle",
    broke: "failed",
    died: "failed",
    asks: "waits for you",
    works: "running",
    over: "ended",
    "broke-over": "ended",
  }
  await expect.poll(() => states(stage as Stage)).toEqual(expected)
  await page.reload()
  await expect.poll(() => states(stage as Stage)).toEqual(expected)
  // Seen, too, and with the reason at hand.
  const word = page.getByRole("link", { name: /broke .*failed/ }).getByText("failed")
  await word.waitFor()
  expect(await word.getAttribute("title")).toBe("the model is overloaded")
  expect(await objections(page)).toEqual([])
  await page.getByLabel("Filter sessions").fill("failed")
  await expect.poll(async () => new Set(Object.keys(await states(stage as Stage)))).toEqual(new Set(["broke", "died"]))
  await page.getByLabel("Filter sessions").fill("waits")
  await expect.poll(async () => Object.keys(await states(stage as Stage))).toEqual(["asks"])
  await page.getByLabel("Filter sessions").fill("")
  // The transcript tells it once, where the turn ended; the next turn puts it right.
  await stage.go("#/s/broke")
  await page.locator(".session-head", { hasText: "failed" }).waitFor()
  await page.getByRole("group", { name: "The turn failed" }).getByText("the model is overloaded").waitFor()
  expect(await page.locator(".session-view :is(.failure, .note.bad)").count()).toBe(1)
  await stage.send("/echo well again")
  await page.locator(".message.assistant", { hasText: "well again" }).waitFor()
  await page.locator(".session-head", { hasText: "idle" }).waitFor()
  await expect.poll(async () => (await states(stage as Stage)).broke).toBe("idle")
  expect(stage.faults).toEqual([])
})
