import { createRequire } from "node:module"
import type { Page } from "playwright-core"

const script = createRequire(import.meta.url).resolve("axe-core/axe.min.js")

interface Finding {
  id: string
  nodes: { html: string; failureSummary?: string }[]
}

/** What axe objects to, in both themes. Its script comes by the debugger: the policy of the page takes none. */
export async function objections(page: Page): Promise<string[]> {
  const source = await Bun.file(script).text()
  const found: string[] = []
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme })
    await page.evaluate(source)
    const { violations } = await page.evaluate<{ violations: Finding[] }>(
      "axe.run(document, { resultTypes: ['violations'] })",
    )
    for (const { id, nodes } of violations)
      found.push(
        ...nodes.map((node) => `${colorScheme} ${id}: ${node.html.slice(0, 200)} ${node.failureSummary ?? ""}`),
      )
  }
  return found
}
