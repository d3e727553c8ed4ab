import { Database } from "bun:sqlite"
import { join } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import { expect, test } from "vitest"
import { closeProcess } from "../../../src/core/process.ts"
import { startLive } from "./live.ts"

test("what OpenCode kept and cannot read any more it is told anew", async () => {
  await using live = await startLive()
  const session = await live.open(["FIRST-ANSWER", "second"])
  await live.run("FIRST-WORDS", session)
  const native = session.record.native.id
  await closeProcess(session)
  for (const pid of live.servers) process.kill(pid, "SIGKILL")
  const db = new Database(join(live.home, "data", "opencode", "opencode.db"))
  for (const table of ["message", "part"]) db.run(`UPDATE ${table} SET data = '{"garbage":1}'`)
  db.close()
  // The new session has another name.
  live.model.script(["ANEW", "and on"])
  const stops: string[] = []
  // It answers once without reading any of it.
  for (let n = 0; n < limits.resumeTries + 2 && session.record.native.id === native; n++)
    stops.push((await live.run(`again ${n}`, session)).stop_reason)
  await live.until("turn.ended", ({ data }) => data.stop_reason === "end_turn", session)
  await live.run("and now?", session)
  expect(stops.filter((stop) => stop === "error").length).toBeGreaterThanOrEqual(limits.resumeTries)
  const rebuilt = live.of("session.updated", session).filter(({ data }) => data.context === "rebuilt")
  expect(rebuilt).toMatchObject([{ data: { reason: expect.stringContaining("OpenCode cannot go on with it") } }])
  const seen = JSON.stringify(live.model.requestsOf(session.record.native.id ?? "").map(({ body }) => body))
  expect(["FIRST-WORDS", "FIRST-ANSWER"].filter((word) => !seen.includes(word))).toEqual([])
  expect(live.items(session).at(-1)?.content).toMatchObject([{ text: expect.stringMatching(/ANEW|and on/) }])
}, 240_000)
