import type { Locator, Page } from "playwright-core"

/** Drops files of the machine where somebody points, as the system does: the browser reads them itself. */
export async function dropFiles(page: Page, target: Locator, files: string[]): Promise<void> {
  const place = await target.boundingBox()
  if (place === null) throw new Error("what files are to be dropped on is not shown")
  const tools = await page.context().newCDPSession(page)
  const at = { x: place.x + 20, y: place.y + 10, data: { items: [], files, dragOperationsMask: 1 } }
  for (const type of ["dragEnter", "dragOver", "drop"] as const)
    await tools.send("Input.dispatchDragEvent", { type, ...at })
  await tools.detach()
}
