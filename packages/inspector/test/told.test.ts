import { createServer } from "node:http"
import { isMusl } from "@sandbox-agent/test-agents/fetched"
import { claudeRelease, program } from "@sandbox-agent/test-agents/vendor-server"
import { afterAll, beforeAll, expect, test } from "vitest"
import { objections } from "./harness/axe.ts"
import { holdAnswer } from "./harness/hold-answer.ts"
import { hashOf, Stage } from "./harness/page.ts"
import { keepScreens } from "./harness/screen.ts"

const version = "2.1.400"
/** As the vendor names it. */
const platform = `${process.platform}-${process.arch}${isMusl ? "-musl" : ""}`
const mebibyte = 1024 * 1024
/** A program that tells its version, and is large by what follows. */
const file = Buffer.from(`${program(version, "(Claude Code)")}exit\n`.padEnd(4 * mebibyte, "#"))
/** Each mebibyte of it but the first comes when the test says so. */
const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>())

let stage: Stage | undefined
/** In the place of the vendor; it says how large what it sends is, as vendors do. */
const vendor = createServer(async (request, answer) => {
  const path = request.url ?? ""
  const found = release.get(path)
  if (found === undefined) return void answer.writeHead(404).end()
  if (!path.endsWith("/claude")) return void answer.end(found)
  answer.writeHead(200, { "content-length": file.length })
  for (const [at, gate] of [undefined, ...gates].entries()) {
    await gate?.promise
    answer.write(file.subarray(at * mebibyte, (at + 1) * mebibyte))
  }
  answer.end()
})
const release = new Map(Object.entries(claudeRelease(version, platform, file.toString())))
beforeAll(async () => {
  await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve))
  const { port } = vendor.address() as { port: number }
  const address = `http://127.0.0.1:${port}`
  const mirrors = { SANDBOX_AGENT_MIRROR_CLAUDE: `${address}/claude`, SANDBOX_AGENT_MIRROR_AMP: `${address}/amp` }
  stage = await Stage.openWith(mirrors, "--install-source", "vendor")
  await stage?.page.addInitScript(watch)
  await stage?.context.grantPermissions(["notifications", "clipboard-read", "clipboard-write"])
}, 300_000)
afterAll(async () => {
  for (const gate of gates) gate.resolve()
  vendor.closeAllConnections()
  vendor.close()
  await stage?.[Symbol.asyncDispose]()
})
keepScreens(() => stage)

/** Keeps the real notifications that the page makes. A tab without a screen is always looked at: a test says when it is not. */
const watch = `{
  window.told = []
  window.away = false
  Object.defineProperty(document, "hidden", { get: () => window.away })
  window.Notification = class extends Notification {
    // A headless shell, such as the registry has, grants it to nobody.
    static permission = "granted"
    constructor(...words) {
      super(...words)
      window.told.push(this)
    }
  }
}`

test("what begins to wait while nobody looks is told once, and a click on that leads there", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client, daemon } = stage
  await stage.signIn()
  await client.createSession("waits", { agent: "mock", title: "It waits", directory: daemon.home })
  await page.getByRole("link", { name: /It waits/ }).waitFor()
  const told = () => page.evaluate<string[]>("window.told.map(({ title, body }) => [title, body].join(': '))")
  const ask = async (command: string) => {
    await client.postMessage("waits", { message: `/permission echo ${command}` })
    await expect.poll(() => page.title()).toMatch(/^\(1\) /)
  }
  const answer = async () => {
    const { permissions } = await client.listPending("waits")
    await client.replyPermission("waits", permissions[0]?.permission_id ?? "", "once")
    await expect.poll(() => page.title()).not.toMatch(/^\(/)
    await expect.poll(async () => (await client.getSession("waits")).status).toBe("idle")
  }
  await ask("seen")
  await answer()
  expect(await told()).toEqual([])
  await page.evaluate("window.away = true")
  await ask("unseen")
  expect(await told()).toEqual(["It waits: waits for you"])
  // More happens to the list, and nothing of it is told again.
  await client.createSession("another", { agent: "mock", title: "Another", directory: daemon.home })
  await page.getByRole("link", { name: /Another/ }).waitFor()
  expect(await told()).toHaveLength(1)
  await page.evaluate("window.away = false; window.told[0].dispatchEvent(new Event('click'))")
  await expect.poll(() => hashOf(page)).toContain("#/s/waits")
  await page.getByRole("button", { name: "Allow once" }).click()
  await expect.poll(() => page.title()).not.toMatch(/^\(/)
  expect(stage.faults).toEqual([])
})

test("an answer that is older than what was heard changes nothing: it is not told again, and who was deleted stays away", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client, daemon } = stage
  await client.createSession("late", { agent: "mock", title: "Late", directory: daemon.home })
  await stage.signIn()
  await page.evaluate("window.away = true; window.told = []")
  const told = () => page.evaluate<number>("window.told.length")
  /** What is answered now comes after something else has happened. */
  const hold = async (happens: () => Promise<unknown>) => {
    const held = await holdAnswer(page, "**/v1/sessions/late")
    await client.patchSession("late", { title: `Late ${crypto.randomUUID()}` })
    await held.answered
    await happens()
    const taken = page.waitForResponse("**/v1/sessions/late")
    held.letGo()
    await (await taken).finished()
  }
  await hold(async () => {
    await client.postMessage("late", { message: "/permission echo asked" })
    await expect.poll(() => page.title()).toMatch(/^\(1\) /)
  })
  const { title = "" } = await client.getSession("late")
  await page.getByRole("link", { name: new RegExp(title) }).waitFor()
  expect([await told(), await page.title()]).toEqual([1, expect.stringMatching(/^\(1\) /)])
  await hold(async () => {
    await client.deleteSession("late")
    await page.getByRole("link", { name: /Late/ }).waitFor({ state: "detached" })
  })
  // Listed when all that was asked for before has been answered.
  await client.createSession("last", { agent: "mock", title: "Last of all", directory: daemon.home })
  await page.getByRole("link", { name: /Last of all/ }).waitFor()
  expect(await page.getByRole("link", { name: /Late/ }).count()).toBe(0)
  expect(await told()).toBe(1)
  expect(stage.faults).toEqual([])
})

test("an agent is installed from the page, and its bytes are counted as they come until all are there", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await stage.signIn("#/agents")
  const row = page.getByRole("article", { name: "Claude Code", exact: true })
  await row.getByText("not installed").waitFor()
  await row.getByRole("button", { name: "Install Claude Code" }).click()
  const progress = row.getByRole("progressbar", { name: "Installing Claude Code" })
  for (const [at, gate] of gates.entries()) {
    await row.getByText(`download ${at + 1}.0 MB of 4.0 MB`, { exact: true }).waitFor()
    // The words are rounded; the bar has every byte.
    const bar = () => Promise.all(["value", "max"].map(async (name) => Number(await progress.getAttribute(name))))
    await expect.poll(bar).toEqual([(at + 1) * mebibyte, 4 * mebibyte])
    gate.resolve()
  }
  await row.getByText(`installed ${version}`).waitFor()
  await progress.waitFor({ state: "detached" })
  const { agents } = await client.listAgents()
  expect(agents.find(({ id }) => id === "claude")).toMatchObject({ installed: true, version })
  expect(stage.faults).toEqual([])
})

test("an install that fails says why until it is tried again", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page } = stage
  await stage.signIn("#/agents")
  const row = page.getByRole("article", { name: "Amp", exact: true })
  await row.getByRole("button", { name: "Install Amp" }).click()
  const failure = row.getByRole("alert")
  await failure.getByText("404").waitFor()
  expect(await objections(page)).toEqual([])
  release.set("/amp/cli-version.txt", "no version at all")
  await row.getByRole("button", { name: "Install Amp" }).click()
  await failure.getByText(/no version/).waitFor()
  expect(await failure.count()).toBe(1)
  expect(stage.faults).toEqual([])
})
