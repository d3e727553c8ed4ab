import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { reply, text, thinking, toolCall } from "@sandbox-agent/scripted-model/script"
import { claudeBinary, newest } from "@sandbox-agent/test-agents/claude"
import { afterAll, beforeAll, expect, test } from "vitest"
import { objections } from "./harness/axe.ts"
import { hashOf, Stage } from "./harness/page.ts"
import { keepScreens } from "./harness/screen.ts"

let stage: Stage | undefined
beforeAll(async () => {
  stage = await Stage.open("--agent-path", `claude=${claudeBinary(newest)}`)
  await stage?.signIn()
}, 300_000)
afterAll(() => stage?.[Symbol.asyncDispose]())
keepScreens(() => stage)

/** As a reader does: the end is followed until somebody moves away from it, and a script is nobody. */
async function scrollToBegin({ page }: Stage): Promise<void> {
  await page.locator(".transcript").hover()
  await page.mouse.wheel(0, -1_000_000)
}

test("every kind of item is shown as what it is", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page } = stage
  await stage.openSession("kinds", { permissionMode: "bypass" })
  const said = [
    "/think Let me look first.",
    "/echo # Found it\n",
    "/run printf '\\033[31mred\\033[0m\\n'",
    "/edit notes.txt one line",
    '/tool Look {"path": "a.txt"}',
    "/subagent",
    "/image",
    "/todo",
    "/usage",
    "/unknown",
    "/run exit 3",
    "/echo done here",
  ]
  await stage.send(said.join("\n"))
  await page.locator(".message.assistant", { hasText: "done here" }).waitFor()
  const log = page.getByRole("log")
  // A failed call is open by itself, and says so in words too.
  await log.locator(".tool.failed[open]", { hasText: "Exit code 3." }).waitFor()
  await page.locator("img.picture").waitFor()
  await stage.shows("Unknown to the daemon")
  await page.locator(".plan summary", { hasText: "3 of 3" }).waitFor()
  await page.locator(".session-head", { hasText: "2.0k tokens" }).waitFor()
  // Opened one after the other: what is far from what is seen is not drawn.
  await log.getByText("Thought", { exact: true }).click()
  await log.locator(".reasoning .markdown", { hasText: "Let me look first." }).waitFor()
  await log.locator("summary", { hasText: "printf" }).click()
  await log.locator(".output .fg-a1", { hasText: "red" }).waitFor()
  await log.locator("summary", { hasText: "notes.txt" }).click()
  await log.locator(".diff tr.add", { hasText: "one line" }).waitFor()
  await log.getByRole("button", { name: "Side by side" }).click()
  await log.locator(".split td.add", { hasText: "one line" }).waitFor()
  await log.locator("summary", { hasText: "Task" }).click()
  await log.getByRole("group", { name: "Sub-agent" }).getByText("I will list the files.").waitFor()
  await scrollToBegin(stage)
  await page.locator("button.turn", { hasText: "Turn 1" }).waitFor()
  expect(await objections(page)).toEqual([])
})

test("what waits is answered by keys and by mouse, and ceases to wait when somebody else answers", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await stage.openSession("asks")
  await stage.send(
    "/permission echo by-key\n/permission echo no\n/edit b.txt hello\n/question\n/questions\n/echo all answered",
  )
  const card = page.locator(".card.waits")
  await card.locator(".command", { hasText: "echo by-key" }).waitFor()
  expect(await objections(page)).toEqual([])
  await page.locator(".session-head h1").click()
  await page.keyboard.press("y")
  await card.locator(".command", { hasText: "echo no" }).waitFor()
  await page.locator(".session-head h1").click()
  await page.keyboard.press("n")
  await page.getByLabel("Why not").fill("because")
  await page.keyboard.press("Enter")
  await page.getByRole("log").getByText("Permission denied: because").waitFor()
  await card.locator(".diff .add", { hasText: "hello" }).waitFor()
  const { permissions } = await client.listPending("asks")
  await client.replyPermission("asks", permissions[0]?.permission_id ?? "", "once")
  await card.getByText("Which color?").waitFor()
  await card.getByRole("button", { name: "Green" }).click()
  await card.getByText("Which size?").waitFor()
  expect(await objections(page)).toEqual([])
  await card.getByRole("button", { name: "Large" }).click()
  await card.getByRole("button", { name: "Cheese" }).click()
  await card.getByRole("button", { name: "Olives" }).click()
  await card.getByLabel("Note: in your words").fill("well done")
  await card.getByRole("button", { name: "Answer" }).click()
  await page.getByText('[["Large"],["Cheese","Olives"],["well done"]]').waitFor()
  await page.locator(".message.assistant", { hasText: "all answered" }).waitFor()
  expect(await card.count()).toBe(0)
})

test("messages are queued and withdrawn, a turn is stopped, settings change, a session is forked and ends", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await stage.openSession("acts", { title: "Acts" })
  await stage.send("/sleep 600000")
  await page.getByRole("button", { name: "Stop turn" }).waitFor()
  await stage.send("/echo never said")
  await page.getByRole("button", { name: "Withdraw 1" }).click()
  await page.locator(".queue").waitFor({ state: "detached" })
  await page.getByRole("button", { name: "Stop turn" }).click()
  await page.getByRole("log").getByText("Stopped.").waitFor()
  await page.getByLabel("Permission mode").selectOption("acceptEdits")
  await expect.poll(async () => (await client.getSession("acts")).permissionMode).toBe("acceptEdits")
  await page.getByLabel("Variant").selectOption("high")
  await expect.poll(async () => (await client.getSession("acts")).variant).toBe("high")
  await page.setInputFiles("input[type=file]", {
    name: "a.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("attached"),
  })
  await stage.send("look at it")
  await page.locator(".message.user", { hasText: "a.txt" }).waitFor()
  await page.getByRole("button", { name: "Actions of this session" }).click()
  await page.getByRole("menuitem", { name: "Rename" }).click()
  await page.getByLabel("Title").fill("Another name")
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { name: "Another name" }).waitFor()
  await page.getByRole("button", { name: "Actions of this session" }).click()
  await page.getByRole("menuitem", { name: "Fork" }).click()
  await page.getByRole("heading", { name: "Another name (fork)" }).waitFor()
  await page.getByRole("button", { name: "Actions of this session" }).click()
  await page.getByRole("menuitem", { name: "Terminate" }).click()
  await page.getByText("This session has ended.").waitFor()
  await page.getByRole("button", { name: "Resume" }).click()
  await page.getByLabel("Message to the agent").waitFor()
  const remove = async () => {
    await page.getByRole("button", { name: "Actions of this session" }).click()
    await page.getByRole("menuitem", { name: "Delete" }).click()
  }
  const forked = (await hashOf(page)).replace("#/s/", "")
  await remove()
  await page.getByRole("link", { name: /\(fork\)/ }).waitFor({ state: "detached" })
  await page.getByRole("button", { name: "Undo" }).click()
  await page.getByRole("link", { name: /\(fork\)/ }).click()
  await page.getByLabel("Message to the agent").waitFor()
  expect((await client.getSession(forked)).id).toBe(forked)
  await remove()
  await expect
    .poll(
      () =>
        client.getSession(forked).then(
          () => "there",
          () => "gone",
        ),
      { timeout: 50_000 },
    )
    .toBe("gone")
})

test("nothing that an agent prints runs, is loaded from elsewhere or leads out of the page", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client, daemon } = stage
  const outside: string[] = []
  page.on("request", (request) => {
    if (!request.url().startsWith(daemon.baseUrl) && !request.url().startsWith("blob:")) outside.push(request.url())
  })
  page.on("dialog", (dialog) => {
    outside.push(dialog.message())
    void dialog.dismiss()
  })
  const evil = `<img src=x onerror="window.pwned=1"><script>window.pwned=1</script><svg onload="window.pwned=1">`
  const directory = join(daemon.home, "<img src=x onerror=window.pwned=1>")
  mkdirSync(directory)
  await stage.openSession("hostile", { permissionMode: "bypass", title: evil, directory })
  const lines = [
    evil,
    "[a](javascript:window.pwned=1) [b](JaVaScRiPt:window.pwned=1) [c](data:text/html,<script>window.pwned=1</script>) <javascript:window.pwned=1>",
    "![i](http://127.0.0.1:1/leak.png) ![j](//evil.example/x.png) [safe](https://example.com/a)",
    "| <b onclick=window.pwned=1>x</b> | y |\n|---|---|\n| <iframe src=javascript:window.pwned=1> | z |",
    "```<script>window.pwned=1</script>\n<img src=x onerror=window.pwned=1>\n```",
    '<https://example.com/"onmouseover="window.pwned=1>',
  ]
  const script = [
    ...lines.flatMap((line) => line.split("\n").map((one) => `/echo ${one}`)),
    `/think ${evil}`,
    `/tool <img/src=x/onerror=window.pwned=1> {"command":"${evil.replaceAll('"', "'")}"}`,
    `/edit <img_src=x_onerror=window.pwned=1>.html ${evil}`,
    `/run printf '\\033]8;;javascript:window.pwned=1\\007link\\033]8;;\\007 \\033[38;2;1;1;url(http://127.0.0.1:1/x)m %s\\n' '${evil}'`,
    `/title ${evil}`,
    `/echo end of it`,
  ]
  // Lines of plain text are one markdown text.
  await client.postMessage("hostile", { message: lines.join("\n\n") })
  await client.postMessage("hostile", { message: script.join("\n") })
  await page.locator(".message.assistant", { hasText: "end of it" }).waitFor()
  await page.evaluate(
    "document.querySelectorAll('.tool:not([open]) > summary, .reasoning > summary').forEach((one) => one.click())",
  )
  await client.patchSession("hostile", { permissionMode: "default" })
  await client.postMessage("hostile", { message: `/permission ${evil}` })
  await page.locator(".card.waits .command").waitFor()
  await scrollToBegin(stage)
  await page.locator(".markdown a[href='https://example.com/a']").first().waitFor()
  const links = await page.evaluate<string[]>(
    "[...document.querySelectorAll('.transcript a')].map((one) => one.getAttribute('href'))",
  )
  expect(links.length).toBeGreaterThan(0)
  expect(links.filter((href) => !/^https?:\/\//.test(href))).toEqual([])
  expect(await page.locator(".transcript :is(script, iframe, svg[onload], img:not(.picture))").count()).toBe(0)
  for (const tab of ["details", "events", "timeline", "http"]) {
    await stage.go(`#/s/hostile?tab=${tab}`)
    await page.getByRole("tab", { selected: true }).waitFor()
    await page.locator(".panel-body > *").first().waitFor()
  }
  expect(await page.evaluate("window.pwned ?? 0")).toBe(0)
  expect(outside).toEqual([])
  expect(stage.faults).toEqual([])
  await client.deleteSession("hostile")
})

test("nothing moves and nothing appears under a pressed pointer, which would take its click", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page } = stage
  await stage.openSession("pressed")
  await stage.send(Array.from({ length: 60 }, (_, i) => `/echo entry ${i}.`).join("\n"))
  await page.locator(".message.assistant", { hasText: "entry 59." }).waitFor()
  const pill = page.getByRole("button", { name: "To the end" })
  const box = await page.locator(".transcript").boundingBox()
  if (box === null) throw new Error("the transcript is not shown")
  const [x, y] = [box.x + 100, box.y + 100]
  // What is seen there, not how far it is scrolled: rows that are measured above it change that and nothing else.
  const underPointer = () =>
    page.evaluate<string | undefined>(`new Promise((resolve) => requestAnimationFrame(() => {
      const row = [...document.querySelectorAll(".row")].find((one) => one.getBoundingClientRect().bottom > ${y})
      resolve(row && row.dataset.item + " at " + Math.round(row.getBoundingClientRect().top))
    }))`)
  const scrollTop = () => page.evaluate<number>("document.querySelector('.transcript').scrollTop")
  await expect.poll(scrollTop).toBeGreaterThan(1_000)
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.evaluate("document.querySelector('.transcript').scrollBy(0, -500)")
  let pressed: string | undefined
  await expect
    .poll(async () => {
      const before = pressed
      pressed = await underPointer()
      return pressed !== undefined && pressed === before
    })
    .toBe(true)
  await page.locator(".session-head", { hasText: "idle" }).waitFor()
  expect([await pill.count(), await underPointer()]).toEqual([0, pressed])
  await page.mouse.up()
  await pill.click()
  await page.locator(".message.assistant", { hasText: "entry 59." }).waitFor()
  expect(await underPointer()).not.toBe(pressed)
})

test("the daemon dies and comes back: the page says so and goes on, nothing lost and nothing twice", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client, daemon } = stage
  await stage.openSession("lives")
  await stage.send("/echo before it died")
  await page.locator(".message.assistant", { hasText: "before it died" }).waitFor()
  await daemon.end("SIGKILL")
  await page.getByText("Reconnecting").waitFor()
  expect(await objections(page)).toEqual([])
  await daemon.begin()
  await client.session("lives").prompt("/echo after it came back")
  await page.locator(".message.assistant", { hasText: "after it came back" }).waitFor()
  await page.getByText("Reconnecting").waitFor({ state: "detached" })
  expect(await page.locator(".message.assistant").count()).toBe(2)
  await page.context().setOffline(true)
  await client.session("lives").prompt("/echo while it was cut")
  await page.context().setOffline(false)
  await page.locator(".message.assistant", { hasText: "while it was cut" }).waitFor()
  expect(await page.locator(".message.assistant").count()).toBe(3)
})

test("a real agent: Claude Code asks, runs and changes a file, and all of it is shown", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client, daemon } = stage
  const directory = join(daemon.home, "real")
  mkdirSync(directory)
  const path = join(directory, "made.txt")
  await using model = await startScriptedModel({
    script: [
      reply(thinking("I should make it."), toolCall("Bash", { command: "touch by-claude.txt" })),
      reply(toolCall("Write", { file_path: path, content: "made by Claude\n" })),
      reply(text("It is **made**.")),
    ],
  })
  const env = {
    HOME: directory,
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "dummy",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    CLAUDE_CODE_MAX_RETRIES: "1",
  }
  await client.createSession("real", { agent: "claude", directory, env })
  await stage.go("#/s/real")
  await stage.send("Make it")
  await page.locator(".card.waits .command", { hasText: "touch by-claude.txt" }).waitFor()
  await page.getByRole("button", { name: "Allow once" }).click()
  await page.locator(".card.waits .diff .add", { hasText: "made by Claude" }).waitFor()
  await page.getByRole("button", { name: "Allow once" }).click()
  await page.locator(".message.assistant strong", { hasText: "made" }).waitFor()
  await page.locator(".tool summary", { hasText: "Bash" }).waitFor()
  expect(await Bun.file(path).text()).toBe("made by Claude\n")
})

test("by keys alone: items, places, the list of keys, stopping a turn; and a fork from a turn", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await stage.openSession("keys", { permissionMode: "bypass" })
  await stage.send("/run echo first")
  await page.locator(".tool summary", { hasText: "echo first" }).waitFor()
  await stage.send("/sleep 600000")
  await page.getByRole("button", { name: "Stop turn" }).waitFor()
  await expect.poll(async () => (await client.getSession("keys")).status).toBe("running")
  // It is told for as long as the second key may take, which a slow machine may need for one: looked for from before it is there.
  await Promise.all([page.getByText("Press Esc again to stop the turn").waitFor(), page.keyboard.press("Escape")])
  const stopped = page.getByRole("log").getByText("Stopped.")
  expect([(await client.getSession("keys")).status, await stopped.count()]).toEqual(["running", 0])
  await expect
    .poll(async () => {
      await page.keyboard.press("Escape")
      return stopped.count()
    })
    .toBe(1)
  await page.locator(".session-head h1").click()
  // Upwards from the last item to the call, which is opened.
  await expect
    .poll(async () => {
      await page.keyboard.press("k")
      return page.evaluate("document.activeElement?.querySelector('.argument')?.textContent ?? ''")
    })
    .toBe("echo first")
  await page.keyboard.press("o")
  await page.locator(".tool[open] .output", { hasText: "first" }).waitFor()
  await page.keyboard.press("?")
  await page.getByRole("dialog", { name: "Keys" }).waitFor()
  expect(await objections(page)).toEqual([])
  await page.keyboard.press("Escape")
  await page.keyboard.press("g")
  await page.keyboard.press("t")
  await page.getByRole("button", { name: "Earlier" }).click()
  await page.getByRole("heading", { name: "Turn 1" }).waitFor()
  await page.getByRole("button", { name: "Fork from here" }).click()
  await page.getByRole("heading", { name: "keys (fork)" }).waitFor()
  await page.keyboard.press("Control+k")
  await page.getByLabel("Search sessions and commands").fill("real claude")
  await page.keyboard.press("Enter")
  await expect.poll(() => hashOf(page)).toContain("#/s/real")
  expect(stage.faults).toEqual([])
})
