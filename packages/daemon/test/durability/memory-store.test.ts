import { readdirSync } from "node:fs"
import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { Follower, storedTexts, turnEnded } from "../streaming/follower.ts"
import { faultsOf } from "./invariants.ts"

test("the memory store serves the same sessions and streams, and leaves no database behind", async () => {
  await using daemon = await startDaemon({ flags: ["--store", "memory"] })
  const { api } = daemon
  expect(daemon.stdout()).toContain("in memory, lost at exit")
  await api.create("one", { env: { SECRET: "in memory only" } })
  const reader = new Follower("one")
  const read = reader.read(api, turnEnded)
  await api.send("one", "/stream 20000\n/tool Look {}\n/subagent")
  await read
  expect(reader.texts.filter((text) => text.includes('"type":"item.delta"')).length).toBeGreaterThan(20_000)
  expect((await storedTexts(api, "one")).startsWith(reader.texts.join(","))).toBe(true)
  const { lastSequence } = await api.session("one")
  await api.send("one", "/permission echo yes")
  const { data } = await api.until("one", "permission.requested", () => true, lastSequence)
  await api.ok("POST", `/v1/sessions/one/permissions/${data.permission_id}/reply`, { reply: "always" })
  await api.until("one", "turn.ended", () => true, lastSequence)
  await api.turn("one", "/crash 3")
  await api.turn("one", "resumed")
  expect(faultsOf(await api.events("one"))).toEqual([])
  await api.create("two")
  await api.ok("DELETE", "/v1/sessions/two")
  expect((await api.ok<{ sessions: unknown[] }>("GET", "/v1/sessions")).sessions.length).toBe(1)
  expect(await daemon.stop()).toBe(0)
  expect(readdirSync(daemon.dataDir).filter((name) => name.includes(".db"))).toEqual([])
})
