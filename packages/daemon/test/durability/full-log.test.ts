import { existsSync } from "node:fs"
import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"

test.runIf(existsSync("/dev/full"))("a daemon whose log finds no room serves all the same", async () => {
  await using daemon = await startDaemon({ behind: "exec 2>/dev/full; exec", flags: ["--log-level", "debug"] })
  const { api } = daemon
  await api.create("one")
  const ended = await api.turn("one", "hello")
  expect(ended.at(-1)).toMatchObject({ type: "turn.ended", data: { stop_reason: "end_turn" } })
  expect(await daemon.stop()).toBe(0)
})
