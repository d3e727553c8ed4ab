import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { keptDirectory } from "./database.ts"
import { refused } from "./refused.ts"

test("a second daemon on the same data directory refuses by name and leaves the first alone", async () => {
  await using first = await startDaemon()
  const { api } = first
  await api.create("one")
  await api.send("one", "/sleep 300\n/stream 2000")
  const second = await refused(first.dataDir)
  expect(second.code).toBe(9)
  expect(second.stdout).not.toContain("listening")
  expect(second.stderr).toContain("another daemon is using the data directory")
  expect(second.stderr).toContain(first.dataDir)
  expect(second.stderr).not.toMatch(/\bat .+\.ts:\d+/)
  expect((await api.until("one", "turn.ended")).data.stop_reason).toBe("end_turn")
  expect((await api.turn("one", "goes on")).at(-1)?.type).toBe("turn.ended")
})

test("of several that start at once exactly one comes up", async () => {
  const dataDir = keptDirectory()
  const starts = await Promise.allSettled(Array.from({ length: 4 }, () => startDaemon({ dataDir })))
  const up = starts.flatMap((start) => (start.status === "fulfilled" ? [start.value] : []))
  for (const start of starts) if (start.status === "rejected") expect(String(start.reason)).toContain("another daemon")
  expect(up.length).toBe(1)
  for (const daemon of up) expect(await daemon.stop()).toBe(0)
})

test("after a kill the next one starts at once, after a stop as well", async () => {
  const dataDir = keptDirectory()
  await using first = await startDaemon({ dataDir })
  await first.api.create("one")
  await first.api.send("one", "/sleep 60000")
  await first.api.until("one", "turn.started")
  first.kill("SIGKILL")
  await first.exited
  await using second = await startDaemon({ dataDir })
  expect((await second.api.session("one")).status).toBe("idle")
  expect(await second.stop()).toBe(0)
  await using third = await startDaemon({ dataDir })
  expect((await third.api.events("one")).length).toBeGreaterThan(0)
})

test("a memory store needs no lock", async () => {
  await using first = await startDaemon()
  await using second = await startDaemon({ dataDir: first.dataDir, flags: ["--store", "memory"] })
  await second.api.create("one")
  expect((await first.api.call("GET", "/v1/sessions/one")).status).toBe(404)
})
