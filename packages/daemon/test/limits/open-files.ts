import { readdirSync, readFileSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { limits } from "@sandbox-agent/schema/limits"
import { describe, expect, onTestFinished, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { overfill } from "./overfill.ts"

const FILES = 64
const scarce = (daemon: TestDaemon) =>
  expect.poll(daemon.stderr, { timeout: 30_000 }).toContain("files that may be open are scarce")
const openFiles = ({ pid }: TestDaemon) => readdirSync(`/proc/${pid}/fd`).length

/** Hundredths of a second of processor time, all threads together. */
function ticks({ pid }: TestDaemon): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "latin1").split(") ")[1]?.split(" ") ?? []
  return Number(fields[11]) + Number(fields[12])
}

/** Connections on which nothing is ever said. */
async function silent({ url }: TestDaemon, count: number): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => connect(Number(new URL(url).port), "127.0.0.1"))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once("connect", resolve))))
  return sockets
}

const health = ({ url }: TestDaemon) => fetch(`${url}/v1/health`).then(({ status }) => status)

const linux = { skip: process.platform !== "linux", timeout: 120_000 }

describe("a daemon without a file left", () => {
  const few = { behind: `ulimit -n ${FILES}; exec`, compiled: true }

  overfill(
    ["openFilesMs"],
    "it rests, and answers again when connections leave, however often that happens",
    async () => {
      await using daemon = await startDaemon({ ...few, intervals: { openFilesMs: 100 } })
      for (let round = 0; round < 2; round++) {
        const sockets = await silent(daemon, FILES + 32)
        await scarce(daemon)
        await expect.poll(() => openFiles(daemon), { timeout: 30_000 }).toBe(FILES)
        const before = ticks(daemon)
        await Bun.sleep(2_000)
        // One that asks for the connections that wait again and again uses all it gets of a processor.
        expect(ticks(daemon) - before).toBeLessThan(20)
        for (const socket of sockets) socket.destroy()
        await expect.poll(() => health(daemon), { timeout: 30_000 }).toBe(200)
      }
      expect(await daemon.stop()).toBe(0)
    },
    linux,
  )

  test("a request is enough to find out", linux, async () => {
    await using daemon = await startDaemon(few)
    const sockets = await silent(daemon, FILES / 2)
    await expect
      .poll(() => health(daemon).then(() => daemon.stderr()), { timeout: 30_000, interval: 500 })
      .toContain("files that may be open are scarce")
    for (const socket of sockets) socket.destroy()
    await daemon.api.create("one")
    await daemon.api.turn("one", "hello")
  })

  overfill(
    ["streamsShare"],
    "streams leave files for everything else",
    async () => {
      await using daemon = await startDaemon(few)
      await daemon.api.create("one")
      const most = FILES * limits.streamsShare
      const stop = new AbortController()
      const open = () =>
        fetch(`${daemon.url}/v1/sessions/one/events/sse`, {
          headers: { authorization: `Bearer ${daemon.token}` },
          signal: stop.signal,
        })
      const streams = await Promise.all(Array.from({ length: most }, open))
      expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]))
      const refused = await open()
      expect([refused.status, await refused.json()]).toMatchObject([429, { limit: most }])
      expect(await health(daemon)).toBe(200)
      await daemon.api.send("one", "goes on")
      await expect
        .poll(async () => (await daemon.api.events("one")).at(-1)?.type, { timeout: 30_000 })
        .toBe("turn.ended")
      stop.abort()
    },
    linux,
  )
})
