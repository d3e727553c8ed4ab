import { limits } from "@sandbox-agent/schema/limits"
import { expect } from "vitest"
import { openReaders } from "../../../../bench/client/readers.ts"
import { sendQueues } from "../../src/faces/http/send-queues.ts"
import { startDaemon } from "../harness/daemon.ts"
import { halt } from "../supervisor/processes.ts"
import { overfill } from "./overfill.ts"

overfill(
  ["fewStreams", "unsentBytes"],
  "of more streams the kernel keeps no more for each client that takes nothing",
  async () => {
    await using daemon = await startDaemon()
    const { api } = daemon
    await api.create("one")
    const { lastSequence: from } = await api.session("one")
    const port = Number(new URL(daemon.url).port)
    const readers = await openReaders({
      port,
      path: `/v1/sessions/one/events/sse?offset=${from}`,
      token: daemon.token,
      count: 2 * limits.fewStreams,
      from,
      marker: '"turn.ended"',
      quietMs: 3_600_000,
    })
    try {
      await halt(readers.pid)
      // More than the kernels of both sides would hold for one of them.
      await api.turn("one", "/stream 5000 4000")
      const queues = () => [...sendQueues(port).values()].filter((bytes) => bytes !== undefined && bytes > 0)
      // The kernel's table may pass over some while connections come and go.
      await expect.poll(queues).toHaveLength(2 * limits.fewStreams)
      // What is added at once may go beyond it.
      expect(Math.max(...queues().map(Number))).toBeLessThan(2 * limits.unsentBytes)
      process.kill(readers.pid, "SIGCONT")
      const { lastSequence } = await api.session("one")
      const all = { delivered: 2 * limits.fewStreams * (lastSequence - from), lost: 0, duplicated: 0 }
      expect(await readers.result).toMatchObject(all)
    } finally {
      readers.kill()
    }
  },
  { skip: process.platform !== "linux", timeout: 120_000 },
)
