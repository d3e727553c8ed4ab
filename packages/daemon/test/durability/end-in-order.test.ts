import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { endInOrder } from "../../src/core/end-in-order.ts"
import { Store } from "../../src/store/store.ts"

test("one that fails to end keeps no other from its end: the store is closed all the same", async () => {
  const directory = mkdtempSync(join(tmpdir(), "sandbox-agent-end-"))
  const store = new Store({ kind: "sqlite", directory })
  const ended: string[] = []
  const reported: unknown[] = []
  const ending = (what: string, end: () => unknown = () => ended.push(what)) => ({ what, end })
  await endInOrder(
    [
      [ending("installs", () => Promise.reject(new Error("never loaded")))],
      [
        ending("sessions", () => {
          throw new Error("disk full")
        }),
        ending("processes"),
      ],
      [ending("server")],
      [ending("store", () => store.close())],
    ],
    (level, _, fields) => reported.push([level, fields?.what, fields?.error]),
  )
  expect(ended).toEqual(["processes", "server"])
  expect(reported).toEqual([
    ["error", "installs", "Error: never loaded"],
    ["error", "sessions", "Error: disk full"],
  ])
  expect(() => store.db.query("select 1").get()).toThrow(/closed/i)
  rmSync(directory, { recursive: true, force: true })
})
