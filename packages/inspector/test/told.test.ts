import { isMusl } from "@sandbox-agent/test-agents/fetched"
import { claudeRelease, openVendorServer, program, type VendorServer } from "@sandbox-agent/test-agents/vendor-server"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Stage } from "./harness/page.ts"
import { keepScreens } from "./harness/screen.ts"

const version = "2.1.400"
/** As the vendor names it. */
const platform = `${process.platform}-${process.arch}${isMusl ? "-musl" : ""}`
/** A program that tells its version, and is large by what follows. */
const file = `${program(version, "(Claude Code)")}exit\n${"#".repeat(4 * 1024 * 1024)}\n`
/** The second half of it comes when the test says so. */
const half = Promise.withResolvers<void>()

let stage: Stage | undefined
let vendor: VendorServer
beforeAll(async () => {
  vendor = openVendorServer(claudeRelease(version, platform, file))
  vendor.set(`/claude/${version}/${platform}/claude`, () => {
    const middle = file.length / 2
    const body = new ReadableStream({
      async start(stream) {
        stream.enqueue(Buffer.from(file.slice(0, middle)))
        await half.promise
        stream.enqueue(Buffer.from(file.slice(middle)))
        stream.close()
      },
    })
    return new Response(body)
  })
  stage = await Stage.openWith({ SANDBOX_AGENT_MIRROR_CLAUDE: vendor.mirrors.claude }, "--install-source", "vendor")
  await stage?.context.grantPermissions(["notifications", "clipboard-read", "clipboard-write"])
}, 300_000)
afterAll(async () => {
  half.resolve()
  vendor?.[Symbol.dispose]()
  await stage?.[Symbol.asyncDispose]()
})
keepScreens(() => stage)

/** Keeps the real notifications that the page makes. A tab without a screen is always looked at: a test says when it is not. */
const watch = `{
  window.told = []
  window.away = false
  Object.defineProperty(document, "hidden", { get: () => window.away })
  window.Notification = class extends Notification {
    constructor(...words) {
      super(...words)
      window.told.push(this)
    }
  }
}`

test("what begins to wait while nobody looks is told once, and a click on that leads there", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client, daemon } = stage
  await page.addInitScript(watch)
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
  await expect.poll(() => page.url()).toContain("#/s/waits")
  await page.getByRole("button", { name: "Allow once" }).click()
  await expect.poll(() => page.title()).not.toMatch(/^\(/)
  expect(stage.faults).toEqual([])
})

test("an agent is installed from the page, and its bytes are told as they come", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await stage.signIn("#/agents")
  const row = page.getByRole("article", { name: "Claude Code", exact: true })
  await row.getByText("not installed").waitFor()
  await row.getByRole("button", { name: "Install Claude Code" }).click()
  const progress = row.getByRole("progressbar", { name: "Installing Claude Code" })
  // Half of it is on its way: some of that is told, and the bar stays.
  await row.getByText(/^download \d[\d.]* (KB|MB)/).waitFor()
  expect(await progress.count()).toBe(1)
  half.resolve()
  await row.getByText(`installed ${version}`).waitFor()
  await progress.waitFor({ state: "detached" })
  const { agents } = await client.listAgents()
  expect(agents.find(({ id }) => id === "claude")).toMatchObject({ installed: true, version })
  expect(stage.faults).toEqual([])
})
