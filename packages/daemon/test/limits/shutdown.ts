import { expect } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { childrenOf, gone } from "../supervisor/processes.ts"
import { overfill } from "./overfill.ts"

overfill(["shutdownMs"], "what takes longer is cut short, and still nothing is left", async () => {
  await using daemon = await startDaemon({ intervals: { shutdownMs: 1 } })
  const { api } = daemon
  await api.create("one")
  await api.send("one", "/hang")
  await api.until("one", "item.completed", ({ data }) => data.item.role === "assistant")
  const pids = childrenOf(daemon.pid)
  expect(await daemon.stop()).toBe(0)
  expect(daemon.stderr()).toContain("cut short")
  for (const pid of pids) await gone(pid)
})
