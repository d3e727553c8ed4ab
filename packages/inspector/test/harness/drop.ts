import type { Locator, Page } from "playwright-core"

/** Drops files of the machine where somebody points, as the system does: the browser reads them itself. */
export const dropFiles = (page: Page, target: Locator, files: string[]): Promise<void> =>
  drop(page, target, { items: [], files, dragOperationsMask: 1 })

/** Drops a text that comes from another program. */
export const dropText = (page: Page, target: Locator, text: string): Promise<void> =>
  drop(page, target, { items: [{ mimeType: "text/plain", data: text }], dragOperationsMask: 1 })

interface Dragged {
  items: { mimeType: string; data: string }[]
  files?: string[]
  dragOperationsMask: number
}

async function drop(page: Page, target: Locator, data: Dragged): Promise<void> {
  const { x, y } = await uncovered(target)
  const tools = await page.context().newCDPSession(page)
  const at = { x, y, data }
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
