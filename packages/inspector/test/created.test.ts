import { readFileSync } from "node:fs"
import { join } from "node:path"
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

/** What a session may be created with, by the document that describes the API. */
const options = (): string[] => {
  const path = join(import.meta.dirname, "../../../docs/openapi.json")
  return Object.keys(JSON.parse(readFileSync(path, "utf8")).components.schemas.CreateSessionRequest.properties)
}

test("the form has every option of the API, and sends what was put into it", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client, daemon } = stage
  await stage.go("#/new")
  await page.getByRole("radio", { name: /^Mock/ }).check()
  await page.getByLabel("Directory").fill(daemon.home)
  await page.getByLabel("Permission mode").selectOption("acceptEdits")
  await page.getByLabel("Agent mode").selectOption("plan")
  await page.getByLabel("Model").selectOption({ index: 1 })
  await page.getByLabel("Variant").selectOption("high")
  await page.getByText("More options").click()
  const typed = {
    "Session id": "every-option",
    Title: "Made with all of it",
    "System prompt": "Be brief",
    "Agent version": "0.0.0",
    Adopt: "made-before",
    "MCP servers": '{"files": {"command": "true"}}',
    Skills: '[{"name": "greet", "content": "Say hello"}]',
    Environment: '{"GREETING": "hello"}',
    Metadata: '{"ticket": 42}',
  }
  for (const [label, text] of Object.entries(typed)) await page.getByLabel(label).fill(text)
  const [request] = await Promise.all([
    page.waitForRequest((one) => one.method() === "POST" && one.url().endsWith("/v1/sessions/every-option")),
    page.getByRole("button", { name: "Create session" }).click(),
  ])
  const body = request.postDataJSON()
  expect(new Set(Object.keys(body))).toEqual(new Set(options()))
  expect(body).toMatchObject({
    agent: "mock",
    agentMode: "plan",
    permissionMode: "acceptEdits",
    variant: "high",
    directory: daemon.home,
    title: "Made with all of it",
    systemPrompt: "Be brief",
    agentVersion: "0.0.0",
    nativeSessionId: "made-before",
    mcp: { files: { command: "true" } },
    env: { GREETING: "hello" },
    metadata: { ticket: 42 },
  })
  // Refused as it should be: the page says so, and what was typed is still there.
  await page.locator(".notice.bad").first().waitFor()
  expect(await page.getByLabel("System prompt").inputValue()).toBe("Be brief")
  for (const label of ["System prompt", "Agent version", "Adopt", "MCP servers", "Skills"])
    await page.getByLabel(label).fill("")
  await page.getByRole("button", { name: "Create session" }).click()
  await page.getByRole("heading", { name: "Made with all of it" }).waitFor()
  expect(await client.getSession("every-option")).toMatchObject({
    agentMode: "plan",
    permissionMode: "acceptEdits",
    model: body.model,
    variant: "high",
    title: "Made with all of it",
    metadata: { ticket: 42 },
  })
  expect(stage.faults).toEqual([])
})

test("mode and model of a session are switched where one types, and what waits in its queue is counted", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await stage.openSession("switched", { title: "Switched" })
  await page.getByRole("link", { name: /Switched/ }).waitFor()
  const was = await client.getSession("switched")
  const { models } = await client.rest.listModels("mock")
  const other = models.find(({ id }) => id !== was.model)?.id ?? ""
  await page.getByLabel("Agent mode").selectOption("plan")
  await expect.poll(async () => (await client.getSession("switched")).agentMode).toBe("plan")
  await page.getByLabel("Model").selectOption(other)
  await expect.poll(async () => (await client.getSession("switched")).model).toBe(other)
  // Changed elsewhere, it is changed here.
  await client.patchSession("switched", { agentMode: "build" })
  await expect.poll(() => page.getByLabel("Agent mode").inputValue()).toBe("build")
  // What the list asks for as the turn begins is answered late, when it is no longer true.
  const [asked, late] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  await page.route("**/v1/sessions/switched", async (route) => {
    const response = await route.fetch()
    asked.resolve()
    await late.promise
    await route.fulfill({ response })
  })
  await stage.send("/sleep 600000")
  await page.getByRole("button", { name: "Stop turn" }).waitFor()
  await asked.promise
  // One after the other was shown: that it waits is told by no change of the session's status.
  await client.postMessage("switched", { message: "/echo one" })
  await page.getByRole("link", { name: /Switched.*1 queued/ }).waitFor()
  await client.postMessage("switched", { message: "/echo two" })
  const queued = page.getByRole("link", { name: /Switched.*2 queued/ })
  await queued.waitFor()
  await Promise.all([page.waitForEvent("requestfinished", (one) => one.url().endsWith("/switched")), late.resolve()])
  // The list may have asked again meanwhile: what is being answered is waited for.
  await page.unrouteAll({ behavior: "wait" })
  await page.evaluate("new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))")
  expect(await queued.count()).toBe(1)
  // And of a session that is not looked at.
  await stage.go("#/agents")
  await client.postMessage("switched", { message: "/echo three" })
  await page.getByRole("link", { name: /Switched.*3 queued/ }).waitFor()
  await stage.go("#/s/switched")
  await page.getByRole("button", { name: "Stop turn" }).click()
  await page.locator(".message.assistant", { hasText: "three" }).waitFor()
  await page.getByRole("link", { name: /Switched.*idle/ }).waitFor()
  expect(stage.faults).toEqual([])
})

test("agents are listed with what the daemon knows of them: version, login, process, capabilities", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await stage.go("#/agents")
  const { agents } = await client.listAgents()
  await expect.poll(() => page.getByRole("article").count()).toBe(agents.length)
  const words = (name: string) => name.replaceAll(/([A-Z])/g, " $1").toLowerCase()
  for (const agent of agents.filter(({ id }) => ["mock", "claude", "opencode"].includes(id))) {
    const row = page.getByRole("article", { name: agent.name, exact: true })
    await row.getByText(agent.installed ? `installed ${agent.version}` : "not installed", { exact: true }).waitFor()
    const login = { available: "login found", missing: "no login found", unknown: "login not known" }
    await row.getByText(agent.credentialsAvailable ? "ready to use" : login[agent.credentials]).waitFor()
    await row.locator("summary").click()
    const expected = Object.entries(agent.capabilities).map(([name, has]) => `${words(name)} ${has ? "yes" : "no"}`)
    const told = (await row.locator(".capabilities li").allTextContents()).map((one) =>
      one.trim().replace(/\s*(yes|no)$/, " $1"),
    )
    expect(told).toEqual(expected)
  }
  expect(await objections(page)).toEqual([])
  expect(stage.faults).toEqual([])
})
