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
async function uncovered(target: Locator): Promise<{ x: number; y: number }> {
  // Does nothing but wait for what a click waits for.
  await target.hover()
  const place = await target.boundingBox()
  if (place === null) throw new Error("what files are to be dropped on is not shown")
  return { x: place.x + place.width / 2, y: place.y + place.height / 2 }
}
