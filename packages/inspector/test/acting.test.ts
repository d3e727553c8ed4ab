import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { reply, text } from "@sandbox-agent/scripted-model/script"
import { claudeBinary, newest } from "@sandbox-agent/test-agents/claude"
import type { Route } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { dropFiles } from "./harness/drop.ts"
import { startHeldStream } from "./harness/held-stream.ts"
import { holdAnswer } from "./harness/hold-answer.ts"
import { Stage } from "./harness/page.ts"
import { keepScreens } from "./harness/screen.ts"

let stage: Stage | undefined
beforeAll(async () => {
  stage = await Stage.open("--agent-path", `claude=${claudeBinary(newest)}`)
  await stage?.signIn()
}, 300_000)
afterAll(() => stage?.[Symbol.asyncDispose]())
keepScreens(() => stage)

test("a message is steered into the running turn, by its button and by keys", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await stage.openSession("steered")
  await stage.send("/permission echo first-gate\n/permission echo second-gate\n/echo last of it")
  const box = page.getByLabel("Message to the agent")
  const asked = (command: string) => page.locator(".card.waits", { hasText: command })
  const steer = async (gate: string, said: string, act: () => Promise<void>) => {
    await asked(gate).waitFor()
    await box.fill(`/echo ${said}`)
    await act()
    expect(await box.inputValue()).toBe("")
    await stage?.taken()
    await asked(gate).getByRole("button", { name: "Allow once" }).click()
  }
  await steer("first-gate", "by button", () => page.getByRole("button", { name: "Steer" }).click())
  await steer("second-gate", "by keys", () => box.press("Control+Enter"))
  for (const said of ["by button", "by keys", "last of it"])
    await page.locator(".message.assistant", { hasText: said }).waitFor()
  await expect.poll(async () => (await client.getSession("steered")).status).toBe("idle")
  // All of it was one turn, and nothing was queued.
  expect(await page.locator("button.turn").count()).toBe(1)
  expect(stage.faults).toEqual([])
})

test("one types on while a message is on its way: it goes in order, and comes back when it could not be sent", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await stage.openSession("typed-on")
  const box = page.getByLabel("Message to the agent")
  const held = await holdAnswer(page, "**/typed-on/messages", "POST")
  await stage.send("/permission echo gate")
  await held.answered
  await page.locator(".card.waits", { hasText: "gate" }).waitFor()
  await page.keyboard.type("/echo second")
  await page.keyboard.press("Enter")
  await page.keyboard.type("third, not sent")
  held.letGo()
  await page.locator(".queue", { hasText: "/echo second" }).waitFor()
  await stage.taken()
  expect(await box.inputValue()).toBe("third, not sent")
  // What waits behind a message that was not taken comes back with it, before what has been typed since.
  const cut = Promise.withResolvers<void>()
  const refuse = async (route: Route) => {
    await cut.promise
    await route.abort("connectionreset")
  }
  await page.route("**/typed-on/messages", refuse)
  await stage.send("fourth")
  await stage.send("fifth")
  await page.keyboard.type("sixth")
  cut.resolve()
  await stage.taken()
  await expect.poll(() => box.inputValue()).toBe("fourth\nfifth\nsixth")
  await page.unroute("**/typed-on/messages")
  await page.getByRole("button", { name: "Allow once" }).click()
  await page.locator(".message.assistant", { hasText: "second" }).waitFor()
  const { items } = await client.listItems("typed-on")
  const said = items.flatMap((item) => (item.role === "user" ? [item.content] : []))
  const words = (text: string) => [{ type: "text", text }]
  expect(said).toEqual([words("/permission echo gate"), words("/echo second")])
  await box.fill("")
  expect(stage.faults).toEqual([])
})

test("a call that waits for a person says so, and works again when it was answered", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await stage.openSession("held-up")
  await stage.send("/permission echo asked; exec sleep 1000")
  const call = page.locator(".tool", { hasText: "echo asked" })
  await call.locator(".state", { hasText: "waits for you" }).waitFor()
  expect(await call.locator(".spin").count()).toBe(0)
  await page.locator(".card.waits").waitFor()
  const { permissions } = await client.listPending("held-up")
  await client.replyPermission("held-up", permissions[0]?.permission_id ?? "", "once")
  await call.locator(".spin").waitFor()
  expect(await call.getByText("waits for you").count()).toBe(0)
  await page.getByRole("button", { name: "Stop turn" }).click()
  await page.getByRole("log").getByText("Stopped.").waitFor()
  expect(stage.faults).toEqual([])
})

test("what is allowed always is said before, given by its key, and not asked for again", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await stage.openSession("always")
  await stage.send("/edit kept.txt one\n/permission echo again\n/permission echo again\n/permission echo other")
  const card = page.locator(".card.waits")
  await card.locator(".diff .add", { hasText: "one" }).waitFor()
  await card.getByText("Always: changes of this file, until the session ends.").waitFor()
  // Nothing is chosen beforehand: Enter answers nothing.
  await page.getByRole("heading", { name: "always" }).click()
  await page.keyboard.press("Enter")
  await page.keyboard.press("y")
  await card.locator(".command", { hasText: "echo again" }).waitFor()
  await card.getByText("Always: this very command, until the session ends.").waitFor()
  await page.keyboard.press("a")
  // The second is allowed by that, and the next one asked for.
  await card.locator(".command", { hasText: "echo other" }).waitFor()
  const { events } = await client.getEvents("always", { offset: 0, limit: 1000 })
  const answers = events.flatMap((event) =>
    event.type === "permission.resolved" ? [`${event.data.status} by ${event.data.by}`] : [],
  )
  expect(answers).toEqual(["accept by client", "accept_for_session by client", "accept by rule"])
  await page.keyboard.press("y")
  await page.locator(".session-head", { hasText: "idle" }).waitFor()
  expect(stage.faults).toEqual([])
})

/** 3 by 2 pixels. */
const png = "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGP4z8DAAMFwFgA72AX73hA3ZQAAAABJRU5ErkJggg=="

test("files are attached by dropping and by pasting them, and the model sees their bytes", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client, daemon } = stage
  const directory = join(daemon.home, "attached")
  mkdirSync(directory)
  const dropped = join(directory, "dropped.png")
  writeFileSync(dropped, Buffer.from(png, "base64"))
  await using model = await startScriptedModel({ script: [reply(text("Two pictures it is."))] })
  const env = {
    HOME: directory,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "dummy",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  }
  await client.createSession("attached", { agent: "claude", directory, env })
  await stage.go("#/s/attached")
  const box = page.getByLabel("Message to the agent")
  await box.waitFor()
  await dropFiles(page, box, [dropped])
  await page.locator(".attached li", { hasText: "dropped.png" }).waitFor()
  await page.evaluate(`navigator.clipboard.write([new ClipboardItem({
    "image/png": new Blob([Uint8Array.from(atob("${png}"), (one) => one.charCodeAt(0))], { type: "image/png" }),
  })])`)
  await box.focus()
  await page.keyboard.press("Control+v")
  await page.locator(".attached li").nth(1).waitFor()
  await stage.send("What are they?")
  await page.locator(".message.assistant", { hasText: "Two pictures it is." }).waitFor()
  const images = model.requests.flatMap(({ messages }) => messages.flatMap((message) => message.images))
  const seen = images.map(({ data = "" }) => Buffer.from(data, "base64"))
  expect(seen[0]?.toString("base64")).toBe(png)
  // The clipboard makes its own file of the same picture: its head tells what it is, and how large.
  expect(seen[1]?.subarray(1, 4).toString()).toBe("PNG")
  expect([seen[1]?.readUInt32BE(16), seen[1]?.readUInt32BE(20)]).toEqual([3, 2])
  expect(stage.faults).toEqual([])
})

test("a picture that is known by its path first is shown when its bytes come", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { client, daemon } = stage
  using front = await startHeldStream(
    daemon.baseUrl,
    (frame) => frame.includes('"item.completed"') && frame.includes('"image"'),
  )
  const page = await stage.anotherPage()
  await stage.openAt(page, front.baseUrl)
  await client.createSession("picture", { agent: "mock", directory: daemon.home })
  await page.evaluate("location.hash = '#/s/picture'")
  await page.getByLabel("Message to the agent").waitFor()
  await client.session("picture").prompt("/image")
  // The path is the agent's own, and no client may read there.
  const refused = page.locator(".message .soft", { hasText: /\.png: .*403/ })
  await refused.waitFor()
  front.release()
  await page.locator("img.picture").waitFor()
  expect(await refused.count()).toBe(0)
  await page.close()
  expect(stage.faults).toEqual([])
})
