import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { chromiumProgram } from "./harness/chromium.ts"
import { type OpenedPage, openPage } from "./harness/page.ts"
import { PageStore } from "./harness/page-store.ts"
import { storeSuite } from "./store-suite.ts"

const program = await chromiumProgram()

describe.skipIf(program === undefined)("in a real Chromium", () => {
  let opened: OpenedPage
  let names = 0
  beforeAll(async () => {
    if (program === undefined) return
    opened = await openPage(program, "store-page.js")
    await PageStore.listen(opened.page)
  }, 300_000)
  afterAll(() => opened?.close())

  storeSuite(
    "IndexedDB",
    () => PageStore.open(opened.page, `store ${++names}`),
    () => PageStore.open(opened.page, `store ${names}`),
  )

  test("a database of the first version is brought up to date, with what is in it", async () => {
    const name = `store ${++names}`
    const session = {
      sandbox: "box",
      id: "s",
      createdAt: "2026-11-16T10:00:00.000Z",
      lastSequence: 0,
      lost: [],
      info: {},
    }
    await opened.page.evaluate(`window.first(${JSON.stringify(name)}, ${JSON.stringify(session)})`)
    await using store = await PageStore.open(opened.page, name)
    expect(await store.get({ sandbox: "box", id: "s" })).toEqual(session)
    const lease = (await store.lease("box", "one", 60_000)) ?? expect.unreachable("nobody has it")
    const blob = { hash: "a".repeat(64), mime: "image/png", bytes: new Uint8Array([1]) }
    await store.saveBlob(lease, "1", blob)
    expect(await store.blob({ sandbox: "box", id: "s" }, blob.hash)).toEqual(blob)
  })

  test("another page of the same origin has the same sessions; a database of a newer version is refused", async () => {
    const name = `store ${++names}`
    const store = await PageStore.open(opened.page, name)
    const lease = (await store.lease("box", "one", 60_000)) ?? expect.unreachable("nobody has it")
    const info = { id: "s", createdAt: "2026-11-16T10:00:00.000Z", agent: "mock" }
    await store.open(lease, [info as never])
    const second = await opened.page.context().newPage()
    await second.goto(opened.baseUrl)
    await second.waitForFunction("window.start !== undefined")
    await second.evaluate("window.told = () => {}")
    const other = await PageStore.open(second, name)
    expect(await other.get({ sandbox: "box", id: "s" })).toMatchObject({ id: "s", lastSequence: 0 })
    expect(await other.lease("box", "two", 60_000)).toBeUndefined()
    // Neither page stands in the way of one that brings it up to date.
    await second.evaluate(`window.newer(${JSON.stringify(name)})`)
    expect(await second.evaluate(`window.refused(${JSON.stringify(name)})`)).toEqual({ kind: "store", code: "version" })
    await expect(store.list()).rejects.toMatchObject({ kind: "store" })
    await second.close()
    expect(opened.errors).toEqual([])
  })
})
