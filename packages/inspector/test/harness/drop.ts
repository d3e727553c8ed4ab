import type { Locator, Page } from "playwright-core"

/** Drops files of the machine where somebody points, as the system does: the browser reads them itself. */
export async function dropFiles(page: Page, target: Locator, files: string[]): Promise<void> {
  const { x, y } = await uncovered(target)
  const tools = await page.context().newCDPSession(page)
  const at = { x, y, data: { items: [], files, dragOperationsMask: 1 } }
  for (const type of ["dragEnter", "dragOver", "drop"] as const)
    await tools.send("Input.dispatchDragEvent", { type, ...at })
  await tools.detach()
}

/** The middle of it, once nothing lies over it: a notice would take the drop. */
function uncovered(target: Locator): Promise<{ x: number; y: number }> {
  return target.evaluate(async (element) => {
    for (;;) {
      const { x, y, width, height } = element.getBoundingClientRect()
      const middle = { x: x + width / 2, y: y + height / 2 }
      if (element.contains(document.elementFromPoint(middle.x, middle.y))) return middle
      await new Promise(requestAnimationFrame)
    }
  })
}
