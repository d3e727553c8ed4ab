import { afterAll, beforeAll, expect, test } from "vitest"
import { objections } from "./harness/axe.ts"
import { hashOf, Stage } from "./harness/page.ts"
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
  // So does one that fails while somebody looks.
  await stage.send("/error once more")
  await page.getByRole("group", { name: "The turn failed" }).getByText("once more").waitFor()
  await page.locator(".session-head", { hasText: "failed" }).waitFor()
  await expect.poll(async () => (await states(stage as Stage)).broke).toBe("failed")
  await stage.send("/echo and well again")
  await page.locator(".message.assistant", { hasText: "and well again" }).waitFor()
  await page.locator(".session-head", { hasText: "idle" }).waitFor()
  expect(stage.faults).toEqual([])
})

test("a title that another client gives a session at rest is shown at once", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client, daemon } = stage
  await client.createSession("renamed", { agent: "mock", title: "First name", directory: daemon.home })
  await stage.go("#/agents")
  await page.getByRole("link", { name: /First name/ }).waitFor()
  await expect.poll(async () => (await client.getSession("renamed")).status).toBe("idle")
  await client.patchSession("renamed", { title: "Second name" })
  await page.getByRole("link", { name: /Second name/ }).waitFor()
  expect(await page.getByRole("link", { name: /First name/ }).count()).toBe(0)
})

test("the words that filter sessions stand in the address: reload, going elsewhere and back keep them", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client, daemon } = stage
  for (const title of ["pear red", "pear green", "apple red"])
    await client.createSession(title.replace(" ", "-"), { agent: "mock", title, directory: daemon.home })
  const found = async () => new Set(Object.keys(await states(stage as Stage)))
  const filter = page.getByLabel("Filter sessions")
  await stage.go("#/s/apple-red?tab=details")
  await filter.fill("pear idle")
  await expect.poll(() => hashOf(page)).toBe(`#/s/apple-red?tab=details&find=pear+idle`)
  await page.reload()
  await expect.poll(() => filter.inputValue()).toBe("pear idle")
  await expect.poll(found).toEqual(new Set(["pear red", "pear green"]))
  // What is opened from the list keeps them, and the tab.
  await page.getByRole("link", { name: /pear red/ }).click()
  await page.getByRole("heading", { name: "pear red" }).waitFor()
  expect(await hashOf(page)).toBe("#/s/pear-red?tab=details&find=pear+idle")
  await page.getByRole("button", { name: "New session" }).first().click()
  expect(await filter.inputValue()).toBe("pear idle")
  await page.goBack()
  await page.getByRole("heading", { name: "pear red" }).waitFor()
  expect(await filter.inputValue()).toBe("pear idle")
  // A link that somebody was given; and one that leads to all.
  await stage.go("#/?find=apple")
  await expect.poll(() => filter.inputValue()).toBe("apple")
  await expect.poll(found).toEqual(new Set(["apple red"]))
  await page.getByRole("link", { name: "All sessions" }).click()
  await expect.poll(() => filter.inputValue()).toBe("")
  await expect.poll(async () => [...(await found())]).toEqual(expect.arrayContaining(["pear red", "apple red"]))
  // Those of a tab are its own.
  await stage.go("#/s/apple-red?tab=events")
  await page.getByLabel("Filter events").fill("turn.ended")
  await expect.poll(() => hashOf(page)).toContain("words=turn.ended")
  await page.reload()
  await expect.poll(() => page.getByLabel("Filter events").inputValue()).toBe("turn.ended")
  await page.getByRole("tab", { name: "HTTP" }).click()
  expect(await page.getByLabel("Filter requests").inputValue()).toBe("")
  await expect.poll(() => hashOf(page)).not.toContain("words")
  expect(stage.faults).toEqual([])
})

test("a session that goes on after a restart, or from another daemon, shows why its last turn failed", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client, daemon } = stage
  await client.createSession("fails", { agent: "mock", title: "fails", directory: daemon.home })
  await client
    .session("fails")
    .prompt("/error the model is overloaded")
    .catch((error: unknown) => error)
  const { items } = await client.listItems("fails")
  const error = { code: "mock_error", message: "the model is overloaded" }
  await client.rest.restoreSession("restored", {
    agent: "mock",
    title: "restored",
    items,
    error,
    directory: daemon.home,
  })
  await daemon.restart("SIGKILL")
  await stage.signIn("#/s/fails")
  const expected = { fails: "failed", restored: "failed" }
  await expect.poll(() => states(stage as Stage)).toMatchObject(expected)
  await page.locator(".session-head", { hasText: "failed" }).waitFor()
  await page.getByRole("group", { name: "The turn failed" }).getByText("the model is overloaded").waitFor()
  // Its turns are those of the other daemon: it is told below what was said.
  await stage.go("#/s/restored")
  await page.locator(".session-head", { hasText: "failed" }).waitFor()
  await page.locator(".below .note.bad", { hasText: "the model is overloaded" }).waitFor()
  await page.locator(".message.user", { hasText: "/error the model" }).waitFor()
  expect(await objections(page)).toEqual([])
  await stage.send("/echo well again")
  await page.locator(".message.assistant", { hasText: "well again" }).waitFor()
  await page.locator(".below .note.bad").waitFor({ state: "detached" })
  await expect.poll(() => states(stage as Stage)).toMatchObject({ fails: "failed", restored: "idle" })
  expect(stage.faults).toEqual([])
})
