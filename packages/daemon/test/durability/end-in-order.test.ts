import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import type { Logger } from "../../src/core/context.ts"
import { endInOrder } from "../../src/core/end-in-order.ts"
import { stop } from "../../src/daemon/stop.ts"
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

test("whatever of the daemon does not end, or not in time, its store is closed", async () => {
  const fails = () => Promise.reject(new Error("does not end"))
  const never = () => new Promise<void>(() => {})
  for (const end of [fails, never]) {
    const directory = mkdtempSync(join(tmpdir(), "sandbox-agent-end-"))
    const store = new Store({ kind: "sqlite", directory })
    const reported: unknown[] = []
    const [core, acp, installer, supervisor, server] = [
      { stop: end, context: { attachments: "", directory, skillSources: "" } },
      { stop: end },
      { close: end },
      { stopAll: end },
      { stop: end },
    ] as unknown as Parameters<typeof stop>
    const log = (...[level, , fields]: Parameters<Logger>) => void reported.push([level, fields?.what])
    await stop(core, acp, installer, supervisor, server, store, log, end === never ? 20 : 60_000)
    const parts = ["installs", "sessions", "processes", "ACP connections", "server"]
    expect(reported).toEqual(end === never ? [["warn", undefined]] : parts.map((what) => ["error", what]))
    expect(() => store.db.query("select 1").get()).toThrow(/closed/i)
    rmSync(directory, { recursive: true, force: true })
  }
})
