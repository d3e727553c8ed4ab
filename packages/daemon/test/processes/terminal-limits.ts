import { connect } from "node:net"
import { processLimits } from "@sandbox-agent/schema/process-limits"
import { afterAll, beforeAll, expect, vi } from "vitest"
import { Tickets } from "../../src/host/processes/terminal/tickets.ts"
import { restOf } from "../../src/host/processes/terminal/unfinished.ts"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import type { Info } from "./client.ts"
import { overfill } from "./overfill.ts"
import { TestViewer } from "./viewer.ts"

// Screens take time to be read, on a busy machine more of it.
vi.setConfig({ testTimeout: 300_000 })

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startDaemon()
})
afterAll(() => daemon.stop())

const open = (body: object) => daemon.api.ok<Info>("POST", "/v1/terminals", body)
const get = (id: string) => daemon.api.ok<Info & { title?: string }>("GET", `/v1/terminals/${id}`)
const status = async (method: string, path: string, body?: object) =>
  (await daemon.api.call(method, `/v1/terminals${path}`, body)).status

overfill(["terminalSize"], "no terminal is larger", async () => {
  const cols = processLimits.terminalSize
  expect(await status("POST", "", { command: "true", cols: cols + 1 })).toBe(400)
  const { id } = await open({ command: "cat", cols, rows: cols })
  expect(await status("POST", `/${id}/resize`, { cols, rows: cols + 1 })).toBe(400)
  expect(await status("POST", `/${id}/resize`, { cols: 0, rows: 1 })).toBe(400)
  await daemon.api.call("DELETE", `/v1/terminals/${id}`)
})

overfill(
  ["terminalScrollback", "terminalTitleChars"],
  "of more lines the last are kept, of a longer title the beginning",
  async () => {
    const lines = processLimits.terminalScrollback + 500
    const title = "x".repeat(processLimits.terminalTitleChars + 10)
    const { id } = await open({
      shell: `seq 1 ${lines}; printf '\\033]2;${title}\\007'; echo over; read end`,
      rows: 10,
    })
    using first = new TestViewer(daemon, id)
    await first.shows(/over/)
    using viewer = new TestViewer(daemon, id)
    await viewer.shows(/over/)
    const kept = viewer
      .all()
      .split("\n")
      .filter((line) => /^\d+$/.test(line))
      .map(Number)
    expect(kept.length).toBeLessThanOrEqual(processLimits.terminalScrollback + 10)
    expect(kept.length).toBeGreaterThan(processLimits.terminalScrollback - 20)
    expect(kept.at(-1)).toBe(lines)
    expect((await get(id)).title).toBe(title.slice(0, processLimits.terminalTitleChars))
    await daemon.api.call("DELETE", `/v1/terminals/${id}`)
  },
)

overfill(
  ["terminalSequenceBytes"],
  "the beginning of a sequence is kept for who comes meanwhile, one without an end is not",
  () => {
    const begun = Buffer.from("text\x1b[38;5")
    expect(Buffer.from(restOf(new Uint8Array(0), begun, false)).toString()).toBe("\x1b[38;5")
    expect(Buffer.from(restOf(Buffer.from("\x1b[38;5"), Buffer.from(";130"), false)).toString()).toBe("\x1b[38;5;130")
    expect([...restOf(new Uint8Array(0), Buffer.from("é€").subarray(0, 4), true)]).toEqual([0xe2, 0x82])
    expect(restOf(new Uint8Array(0), Buffer.from("é€"), true).length).toBe(0)
    const long = Buffer.from(`\x1b]0;${"x".repeat(processLimits.terminalSequenceBytes)}`)
    expect(restOf(new Uint8Array(0), long, false).length).toBe(0)
  },
)

overfill(["terminalInputBytes"], "input that a program does not read is refused, and the viewer is told", async () => {
  const { id } = await open({ shell: "stty raw -echo; echo ready; sleep 1000" })
  using viewer = new TestViewer(daemon, id)
  await viewer.shows(/ready/)
  viewer.send(Buffer.alloc(processLimits.terminalInputBytes + 1, "x"))
  await viewer.until(() => viewer.frame("error") !== undefined)
  expect(viewer.frame("error")).toMatchObject({ message: "the input is too large" })
  const other = await open({ shell: "stty raw -echo; echo ready; sleep 1000" })
  using typist = new TestViewer(daemon, other.id)
  await typist.shows(/ready/)
  // In pieces as well, none of which is too large.
  for (let piece = 0; piece < 3; piece++) typist.send(Buffer.alloc(processLimits.terminalInputBytes / 2, "x"))
  await typist.until(() => typist.frame("error") !== undefined)
  expect(typist.frame("error")?.message).toContain("does not read its input")
  await daemon.api.call("DELETE", `/v1/terminals/${other.id}`)
  const input = (data: string) => daemon.api.call("POST", `/v1/processes/${id}/input`, { data, encoding: "utf8" })
  // Whichever comes second is too much; the other one waits for a reader that never comes.
  const both = [input("x".repeat(processLimits.terminalInputBytes)), input("y".repeat(100_000))]
  await Promise.any(both.map(async (one) => expect((await one).status).toBe(503)))
  await daemon.api.call("DELETE", `/v1/terminals/${id}`)
  const statuses = (await Promise.all(both)).map((one) => one.status)
  expect(statuses.filter((one) => one >= 500)).toEqual([503])
})

overfill(["viewerBytes", "viewerStallMs"], "a program waits for its only viewer, and no longer than so", async () => {
  const { id } = await open({ command: "seq", args: ["1", "1000000000"] })
  const { hostname, port } = new URL(daemon.url)
  const socket = connect(Number(port), hostname)
  const lines = [
    `GET /v1/terminals/${id}/ws HTTP/1.1`,
    ...[`Host: ${hostname}:${port}`, "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"],
    ...["Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", `Authorization: Bearer ${daemon.token}`],
  ]
  socket.write(`${lines.join("\r\n")}\r\n\r\n`)
  await new Promise((resolve) => socket.once("data", resolve))
  socket.pause()
  const at = async () => (await get(id)).lastSequence ?? 0
  /** Until it stands still between two looks, or moves. */
  const moves = async (wanted: boolean) => {
    for (let before = await at(); ; ) {
      await Bun.sleep(100)
      const now = await at()
      if ((now !== before) === wanted) return
      before = now
    }
  }
  await moves(false)
  expect(processLimits.viewerStallMs).toBeGreaterThan(1_000)
  expect(processLimits.viewerBytes).toBeGreaterThan(0)
  await moves(true)
  socket.destroy()
  await daemon.api.call("DELETE", `/v1/terminals/${id}`)
})

overfill(["viewers"], "one more is refused, and the others go on", async () => {
  const { id } = await open({ command: "cat" })
  const viewers = Array.from({ length: processLimits.viewers }, () => new TestViewer(daemon, id))
  await Promise.all(viewers.map(({ opened }) => opened))
  await expect(new TestViewer(daemon, id).opened).rejects.toThrow()
  viewers[0]?.type("hello\r")
  await viewers.at(-1)?.shows(/hello/)
  for (const viewer of viewers) viewer.close()
  await daemon.api.call("DELETE", `/v1/terminals/${id}`)
})

overfill(["tickets", "ticketMs"], "too many let go of the oldest, and none lives longer", () => {
  vi.useFakeTimers({ toFake: ["Date"] })
  try {
    const tickets = new Tickets()
    const { ticket: first } = tickets.issue("proc_1")
    const { ticket: second } = tickets.issue("proc_1")
    for (let left = processLimits.tickets - 1; left > 0; left--) tickets.issue("proc_1")
    expect(tickets.redeem(first, "proc_1")).toBe(false)
    expect(tickets.redeem(second, "proc_1")).toBe(true)
    expect(tickets.redeem(second, "proc_1")).toBe(false)
    const { ticket: late, expiresAtMs } = tickets.issue("proc_1")
    expect(expiresAtMs - Date.now()).toBe(processLimits.ticketMs)
    vi.setSystemTime(expiresAtMs)
    expect(tickets.redeem(late, "proc_1")).toBe(false)
  } finally {
    vi.useRealTimers()
  }
})
