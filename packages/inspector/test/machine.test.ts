import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { objections } from "./harness/axe.ts"
import { dropFiles, dropText } from "./harness/drop.ts"
import { holdAnswer } from "./harness/hold-answer.ts"
import { hashOf, Stage } from "./harness/page.ts"
import { keepScreens } from "./harness/screen.ts"

let stage: Stage | undefined
beforeAll(async () => {
  stage = await Stage.open()
  await stage?.client.createSession("machine", { agent: "mock", directory: stage.daemon.home })
  await stage?.signIn("#/s/machine?tab=files")
}, 300_000)
afterAll(() => stage?.[Symbol.asyncDispose]())
keepScreens(() => stage)

test("files: read, changed over what was read, compared with git, found, uploaded and downloaded", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, daemon } = stage
  const path = join(daemon.home, "kept.ts")
  const git = (...words: string[]) =>
    expect(
      Bun.spawnSync(["git", "-c", "user.email=a@example.com", "-c", "user.name=A", ...words], { cwd: daemon.home })
        .exitCode,
    ).toBe(0)
  writeFileSync(path, "export const kept = 1\n")
  git("init", "-q")
  git("add", "kept.ts")
  git("commit", "-qm", "first")
  await page.getByRole("button", { name: /^kept\.ts/ }).click()
  await page.getByText("export const kept = 1").waitFor()
  await page.getByRole("button", { name: "Edit" }).click()
  const editor = page.getByLabel(`Content of ${path}`)
  await editor.fill("export const kept = 2\n")
  // Somebody else was faster: nothing of theirs is lost.
  writeFileSync(path, "export const theirs = 1\n")
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText("Somebody changed the file meanwhile").waitFor()
  expect(readFileSync(path, "utf8")).toBe("export const theirs = 1\n")
  await page.getByRole("button", { name: "Back to the folder" }).click()
  await page.getByRole("button", { name: /^kept\.ts/ }).click()
  await page.getByText("export const theirs = 1").waitFor()
  await page.getByRole("button", { name: "Edit" }).click()
  await editor.fill("export const kept = 3\n")
  await page.getByRole("button", { name: "Save" }).click()
  await expect.poll(() => readFileSync(path, "utf8")).toBe("export const kept = 3\n")
  await page.getByRole("button", { name: "Diff to HEAD" }).click()
  await page.locator(".diff .add", { hasText: "kept = 3" }).waitFor()
  expect(await objections(page)).toEqual([])
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download" }).click(),
  ])
  expect(readFileSync(await download.path(), "utf8")).toBe("export const kept = 3\n")
  await page.getByRole("button", { name: "Back to the folder" }).click()
  await page
    .getByLabel("Files to upload")
    .setInputFiles({ name: "up.txt", mimeType: "text/plain", buffer: Buffer.from("needle in it") })
  await expect.poll(() => readFileSync(join(daemon.home, "up.txt"), "utf8")).toBe("needle in it")
  await page.getByLabel("Search in files").fill("needle")
  await page.getByRole("button", { name: /up\.txt:1 needle in it/ }).waitFor()
  expect(await objections(page)).toEqual([])
})

test("files are uploaded by dropping them into the folder that is shown", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, daemon } = stage
  const from = join(daemon.home, "desk")
  const folder = join(daemon.home, "inbox")
  mkdirSync(from)
  mkdirSync(folder)
  const files = ["first & second.txt", "größe.bin"].map((name) => join(from, name))
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, at) => at % 256))
  for (const file of files) writeFileSync(file, bytes)
  await page.getByLabel("Search in files").fill("")
  await page.getByRole("button", { name: /^inbox/ }).click()
  await page.getByText("Nothing is here. Drop files to upload them.").waitFor()
  // Told for a few seconds, so it is looked for from before it is there.
  await Promise.all([page.getByText("2 files uploaded").waitFor(), dropFiles(page, page.locator(".files"), files)])
  for (const file of files) {
    await page.getByRole("button", { name: basename(file) }).waitFor()
    expect(readFileSync(join(folder, basename(file))).equals(bytes)).toBe(true)
  }
  // What cannot be taken is told, and the folder stays as it is.
  await Promise.all([page.getByText("desk is a folder").waitFor(), dropFiles(page, page.locator(".files"), [from])])
  expect(new Set(readdirSync(folder))).toEqual(new Set(files.map((file) => basename(file))))
  // Where nothing takes it the browser would open it in the place of the page.
  const refused = page.evaluate(
    'new Promise((seen) => window.addEventListener("dragover", (event) => seen(event.defaultPrevented)))',
  )
  await dropFiles(page, page.getByText("The mock agent is scripted"), files)
  expect(await refused).toBe(true)
  expect(stage.faults).toEqual([])
})

test("text is dropped into any field, and takes no place of the page elsewhere", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page } = stage
  const hash = await hashOf(page)
  for (const label of ["Message to the agent", "Search in files", "Filter sessions"]) {
    const field = page.getByLabel(label)
    await dropText(page, field, "dragged here")
    await expect.poll(() => field.inputValue()).toBe("dragged here")
    await field.fill("")
  }
  await expect.poll(() => hashOf(page)).toBe(hash)
  await page.getByLabel("Message to the agent").fill("left as it is")
  await dropText(page, page.getByText("The mock agent is scripted"), "http://127.0.0.1:1/")
  expect(await page.getByLabel("Message to the agent").inputValue()).toBe("left as it is")
  expect(await hashOf(page)).toBe(hash)
  await page.getByLabel("Message to the agent").fill("")
  expect(stage.faults).toEqual([])
})

test("processes: started, followed, stopped; with their ports, and those of agents", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await page.getByRole("tab", { name: "Processes" }).click()
  await page.getByLabel("Command").fill("printf '\\033[32mgreen\\033[0m\\n'; exec sleep 1000")
  await page.getByRole("button", { name: "Start" }).click()
  await page.locator(".process-log .fg-a2", { hasText: "green" }).waitFor()
  await client.session("machine").prompt("/echo its agent runs")
  await page.locator(".process.agent", { hasText: /Mock.*pid \d+, \d+ MB/ }).waitFor()
  const { id } = await client.processes.start({
    command: process.execPath,
    args: ["-e", "Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('here') })"],
  })
  const port = async () => (await client.processes.get(id)).ports[0]?.port
  await expect.poll(port).toBeGreaterThan(0)
  await page.locator(".process .tag", { hasText: `:${await port()}` }).waitFor()
  expect(await objections(page)).toEqual([])
  await client.processes.remove(id, { force: true })
  await page.getByRole("button", { name: /^Stop printf/ }).click()
  await page.getByRole("button", { name: /^Remove printf/ }).click()
  await expect.poll(async () => (await client.processes.list()).processes).toEqual([])
})

test("the next command is typed while one starts, and one that could not be started comes back", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await page.getByRole("tab", { name: "Processes" }).click()
  const command = page.getByLabel("Command")
  const held = await holdAnswer(page, "**/v1/processes", "POST")
  await command.fill("exec sleep 1001")
  await command.press("Enter")
  await held.answered
  // Once more would be another process.
  await command.press("Enter")
  await page.keyboard.type("exec sleep 1002")
  held.letGo()
  await page.locator(".process-log").waitFor()
  expect(await command.inputValue()).toBe("exec sleep 1002")
  expect((await client.processes.list()).processes).toHaveLength(1)
  await page.route("**/v1/processes", (route) =>
    route.request().method() === "POST" ? route.abort("connectionreset") : route.continue(),
  )
  await Promise.all([page.waitForEvent("requestfailed"), command.press("Enter")])
  await expect.poll(() => command.inputValue()).toBe("exec sleep 1002")
  await page.unroute("**/v1/processes")
  await command.fill("")
  for (const { id } of (await client.processes.list()).processes) await client.processes.remove(id, { force: true })
})

test("a terminal: typed into, left and come back to with its screen, under the policy of the page", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page } = stage
  await page.getByRole("tab", { name: "Terminal" }).click()
  // Typed while the page still asks for it: nothing of it is lost.
  const { answered, letGo } = await holdAnswer(page, "**/v1/terminals/*")
  await page.getByRole("button", { name: "Open a terminal" }).click()
  await page.locator(".xterm-rows").waitFor()
  await page.locator(".xterm-helper-textarea").focus()
  await page.keyboard.type("printf '\\033[38;2;255;100;0m%s\\033[0m\\n' 'left be''hind'\n")
  await answered
  letGo()
  const said = page.locator(".xterm-rows span", { hasText: "left behind" })
  await said.waitFor()
  await page.getByRole("tab", { name: "Metrics" }).click()
  await page.getByText("version").first().waitFor()
  expect(await objections(page)).toEqual([])
  await page.getByRole("tab", { name: "Terminal" }).click()
  await page.locator(".terminal-chip .chip").click()
  await said.waitFor()
  // Several of one program are told apart, and each keeps its number.
  const names = () => page.locator(".terminal-chip .chip").allTextContents()
  const open = async () => {
    const before = (await names()).length
    await page.getByRole("button", { name: "Open a terminal" }).click()
    await expect.poll(async () => (await names()).length).toBe(before + 1)
  }
  await open()
  const program = (await names())[0]?.replace("1 ", "").trim()
  await expect.poll(async () => (await names()).map((name) => name.trim())).toEqual([`1 ${program}`, `2 ${program}`])
  await page.getByRole("button", { name: `Close terminal 1 ${program}` }).click()
  await expect.poll(async () => (await names()).map((name) => name.trim())).toEqual([`2 ${program}`])
  await open()
  await expect.poll(async () => (await names()).map((name) => name.trim())).toEqual([`2 ${program}`, `1 ${program}`])
  await page.getByRole("tab", { name: "Processes" }).click()
  await page.getByRole("button", { name: /^2 \S+/ }).waitFor()
  await page.getByRole("tab", { name: "Terminal" }).click()
  for (const number of [1, 2]) await page.getByRole("button", { name: `Close terminal ${number} ${program}` }).click()
  await page.locator(".terminal-chip").first().waitFor({ state: "detached" })
  expect(stage.faults).toEqual([])
})

test("on a phone: one pane at a time, with nothing cut off and nothing axe objects to", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await page.setViewportSize({ width: 390, height: 780 })
  await client.postMessage("machine", { message: "/think a thought\n/permission ls\n/echo done" })
  const fits = async (): Promise<void> =>
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true)
  await stage.go("#/")
  await page.getByRole("link", { name: /machine.*1/ }).click()
  await page.getByRole("button", { name: "Allow once" }).waitFor()
  await fits()
  expect(await objections(page)).toEqual([])
  await page.getByRole("button", { name: "Inspect" }).click()
  await page.getByText("Native session").waitFor()
  await fits()
  expect(await objections(page)).toEqual([])
  // What is done with a file stands on one line.
  await page.getByRole("tab", { name: "Files" }).click()
  await page.getByRole("button", { name: /^up\.txt/ }).click()
  const tops = async (...names: string[]) =>
    new Set(
      await Promise.all(
        names.map(async (name) => Math.round((await page.getByRole("button", { name }).boundingBox())?.y ?? -1)),
      ),
    )
  await page.getByRole("button", { name: "Edit" }).waitFor()
  expect(await tops("Edit", "Diff to HEAD", "Download")).toHaveLength(1)
  await page.getByRole("button", { name: "Edit" }).click()
  expect(await tops("Back to the folder", "Save", "Cancel")).toHaveLength(1)
  await fits()
  expect(await objections(page)).toEqual([])
  await page.getByRole("button", { name: "Transcript" }).click()
  await page.getByRole("button", { name: "Allow once" }).click()
  await page.getByRole("link", { name: "Sessions", exact: true }).click()
  await page.getByRole("button", { name: "New session" }).first().click()
  await page.getByRole("radio", { name: /^Mock/ }).waitFor()
  await fits()
})
