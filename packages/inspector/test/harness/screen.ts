import { afterEach } from "vitest"
import type { Stage } from "./page.ts"

/** Keeps what a failed test has left on the screen, beside the results of the run. */
export function keepScreens(stage: () => Stage | undefined): void {
  afterEach(async ({ task }) => {
    if (task.result?.state !== "fail") return
    const name = task.name.replace(/[^a-z0-9]+/gi, "-").slice(0, 60)
    await stage()?.page.screenshot({ path: `test-results/${name}.png` })
  })
}
