import type { Page, Route } from "playwright-core"

/** The next answer to such a request comes when it is let go; `answered` when the daemon has given it. */
export async function holdAnswer(
  page: Page,
  url: string,
  method = "GET",
): Promise<{ answered: Promise<void>; letGo: () => void }> {
  const [answered, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let taken = false
  const hold = async (route: Route) => {
    if (taken || route.request().method() !== method) return route.fallback()
    taken = true
    const response = await route.fetch()
    answered.resolve()
    await over.promise
    await route.fulfill({ response })
  }
  await page.route(url, hold)
  return { answered: answered.promise, letGo: over.resolve }
}
