import { afterAll, beforeAll, expect, test } from "vitest"
import { objections } from "./harness/axe.ts"
import { Stage, token } from "./harness/page.ts"
import { keepScreens } from "./harness/screen.ts"

let stage: Stage | undefined
beforeAll(async () => {
  stage = await Stage.open()
  await stage?.signIn()
}, 300_000)
afterAll(() => stage?.[Symbol.asyncDispose]())
keepScreens(() => stage)

test("under the hood: events with their native lines, requests as curl, and where the time of a turn went", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await stage.openSession("hood")
  await stage.send("/permission echo asked\n/echo said")
  await page.getByRole("button", { name: "Allow once" }).click()
  const message = page.locator(".row:has(.message.assistant)", { hasText: "said" })
  await message.waitFor()
  await message.hover()
  await message.getByRole("button", { name: "Show its events" }).click()
  const detail = page.getByRole("region", { name: /^Event \d+/ })
  await detail.getByText("Native line").waitFor()
  await detail
    .getByText(/"kind":\s?"text"/)
    .first()
    .waitFor()
  expect(await objections(page)).toEqual([])
  await page.getByRole("button", { name: "delta", exact: true }).click()
  await page.getByLabel("Filter events").fill("permission.resolved")
  await page.getByRole("option", { name: /permission.resolved/ }).click()
  await page
    .getByRole("region", { name: /^Event \d+/ })
    .getByText("accept")
    .first()
    .waitFor()

  await page.getByRole("tab", { name: "HTTP" }).click()
  await page.getByLabel("Filter requests").fill("POST")
  await page
    .getByRole("option", { name: /messages/ })
    .first()
    .click()
  await page.getByRole("button", { name: "Copy as curl" }).click()
  const curl = await page.evaluate<string>("navigator.clipboard.readText()")
  expect(curl).toContain("Bearer $SANDBOX_AGENT_TOKEN")
  const again = Bun.spawnSync(["bash", "-c", curl.replace(/msg_\w+/, "msg_of_curl")], {
    env: { ...process.env, SANDBOX_AGENT_TOKEN: token },
  })
  expect(JSON.parse(again.stdout.toString())).toMatchObject({ messageId: "msg_of_curl" })
  expect(await objections(page)).toEqual([])

  await page.getByRole("button", { name: "Allow once" }).click()
  await page.getByRole("tab", { name: "Timeline" }).click()
  await page.getByText("Waited for a person: Run echo asked").waitFor()
  expect(await objections(page)).toEqual([])
  await expect.poll(async () => (await client.getSession("hood")).status).toBe("idle")
  expect(stage.faults).toEqual([])
})
