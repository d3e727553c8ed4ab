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

/** Keeps what live regions say: text that comes into one, unless it is hidden from readers or the region is off. */
const listen = `{
  const live = "[role=status], [role=alert], [role=log], [aria-live]"
  window.heard = []
  const say = (node) => {
    const element = node.nodeType === 1 ? node : node.parentElement
    const region = element?.closest(live)
    if (!region || region.closest("[aria-live=off]") || element.closest("[aria-hidden=true]")) return
    const text = node.textContent.trim()
    if (text !== "") window.heard.push(text)
  }
  new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes)
      if (type === "characterData") say(target)
      else for (const node of addedNodes) say(node)
  }).observe(document.body, { subtree: true, childList: true, characterData: true })
}`

test("a screen reader hears what matters of a turn, and not its 200 deltas", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page, client } = stage
  await stage.openSession("heard")
  await page.evaluate(listen)
  await stage.send("/flood 200 200\n/permission echo gate")
  await page.getByRole("button", { name: "Allow once" }).click()
  await page.locator(".session-head", { hasText: "idle" }).waitFor()
  expect(await page.locator(".message.assistant").first().textContent()).toContain("199")
  const heard = await page.evaluate<string[]>("window.heard")
  // Its states, and what is asked; of the states those between two frames may be skipped.
  expect(heard.length).toBeGreaterThan(1)
  expect(heard.length).toBeLessThan(12)
  expect(heard.join(" ")).toContain("echo gate")
  expect(heard.at(-1)).toBe("idle")
  expect((await client.getSession("heard")).status).toBe("idle")
})

test("the main screens have names and roles by which a screen reader finds everything", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page } = stage
  await stage.openSession("named", { title: "Named session" })
  await stage.send("/think a thought\n/permission echo named")
  await page.getByRole("button", { name: "Allow once" }).waitFor()
  await page.getByRole("link", { name: /Named session.*waits for you/ }).waitFor()
  const tree = () => page.locator("body").ariaSnapshot()
  const session = await tree()
  for (const part of [
    /- banner:/,
    /- navigation "Sessions":/,
    /- button "New session"/,
    /- searchbox "Filter sessions"/,
    /- link "[^"]*Named session[^"]*waits for you/,
    /- main:/,
    /- heading "Named session" \[level=1\]/,
    /- log "Transcript":/,
    /- group "You"/,
    /- region "What waits for you":/,
    /- 'region "Permission: Run echo named"':/,
    /- button "Allow once/,
    /- textbox "Message to the agent"/,
    /- combobox "Permission mode"/,
    /- button "Stop turn"/,
  ])
    expect(session).toMatch(part)
  await stage.go("#/s/named?tab=events")
  await page.getByRole("listbox", { name: "Events" }).getByRole("option").first().waitFor()
  const panel = await tree()
  for (const part of [
    /- complementary "Side panel":/,
    /- tablist "Side panel":/,
    /- tab "Events" \[selected\]/,
    /- tabpanel "Events":/,
    /- listbox "Events":/,
    /- option /,
  ])
    expect(panel).toMatch(part)
  // Arrows go from tab to tab, and the focus with them.
  await page.getByRole("tab", { name: "Events" }).focus()
  await page.keyboard.press("ArrowRight")
  await page.getByRole("tab", { name: "Timeline", selected: true }).waitFor()
  await page.keyboard.press("End")
  await page.getByRole("tab", { name: "Metrics", selected: true }).waitFor()
  expect(await page.evaluate("document.activeElement?.id")).toBe("tab-metrics")
  await stage.go("#/new")
  await page.getByRole("radio", { name: /^Mock/ }).waitFor()
  const form = await tree()
  for (const part of [/- group "Agent":/, /- radio "Mock/, /textbox "Directory/, /- button "Create session"/])
    expect(form).toMatch(part)
  await page.getByRole("link", { name: /Named session/ }).click()
  await page.getByRole("button", { name: "Allow once" }).click()
  expect(stage.faults).toEqual([])
})

test("no tab of the side panel is cut, however narrow it is", async (context) => {
  if (stage === undefined) return context.skip("no Chromium for this machine")
  const { page } = stage
  await stage.go("#/s/named?tab=details")
  const edge = page.getByRole("separator", { name: "Width of the side panel" })
  const cut = () =>
    page.evaluate<string[]>(`(() => {
      const box = document.querySelector(".tabs [role=tablist]").getBoundingClientRect()
      return [...document.querySelectorAll("[role=tab]")].flatMap((tab) => {
        const { left, right } = tab.getBoundingClientRect()
        return left >= box.left - 1 && right <= box.right + 1 && tab.scrollWidth <= tab.clientWidth ? [] : [tab.textContent]
      })
    })()`)
  await edge.focus()
  for (const width of [512, 400, 320]) {
    while (Number(await edge.getAttribute("aria-valuenow")) > width) await edge.press("ArrowRight")
    expect(await cut()).toEqual([])
  }
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 780 })
    expect(await cut()).toEqual([])
  }
})
