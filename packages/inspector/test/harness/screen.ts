import type { Page } from "playwright-core"
import { afterEach } from "vitest"
import type { Stage } from "./page.ts"

/** Keeps what a failed test has left on the screen beside the results of the run, and tells of it in words, which are read far from here. */
export function keepScreens(stage: () => Stage | undefined): void {
  afterEach(async ({ task }) => {
    const failed = stage()
    if (task.result?.state !== "fail" || failed === undefined) return
    const { page } = failed
    const name = task.name.replace(/[^a-z0-9]+/gi, "-").slice(0, 60)
    await page.screenshot({ path: `test-results/${name}.png` })
    const requests = { open: [...failed.open].map((request) => request.url()), failed: failed.failed.slice(-10) }
    console.error(
      `The page after "${task.name}":`,
      JSON.stringify({ ...(await told(page)), ...requests }, undefined, 1),
    )
  })
}

const told = (page: Page): Promise<object> =>
  page.evaluate(`(() => {
    const box = document.querySelector(".transcript")
    const words = (selector) => [...document.querySelectorAll(selector)].map((one) => one.textContent.slice(0, 60))
    return {
      address: location.hash,
      scroll: box && [box.scrollTop, box.scrollHeight, box.clientHeight],
      pill: words(".pill"),
      notices: words(".notice"),
      head: words(".session-head"),
      lastRows: words(".transcript .row").slice(-5),
    }
  })()`)
