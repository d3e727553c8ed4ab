import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { expect } from "vitest"
import { type Holder, LongMessages } from "../../src/faces/acp/long-messages.ts"
import type { TestDaemon } from "../harness/daemon.ts"
import { play, startPuppet } from "../hostile/puppet.ts"
import type { Step } from "../hostile/puppet-agent.ts"
import { metric } from "../streaming/raw-stream.ts"
import { deafSocket } from "./deaf-socket.ts"
import { overfill } from "./overfill.ts"

const MiB = 1024 * 1024
const lineBytes = 12 * MiB
const line: Step = {
  begin:
    '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"$SESSION","update":{"sessionUpdate":"plan","entries":[],"_meta":{"x":"',
  middle: "x",
  times: lineBytes,
  end: '"}}}}',
}

const initialize = { jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 1 } }
const resume = { sessionId: "long", cwd: "/tmp", mcpServers: [] }
const attach = { jsonrpc: "2.0", id: 1, method: "session/resume", params: resume }

/** A client that takes what it is sent: the lengths of its long messages. */
async function reader(daemon: TestDaemon) {
  const headers = { authorization: `Bearer ${daemon.token}` }
  const socket = new WebSocket(`${daemon.url.replace(/^http/, "ws")}/v1/rpc?agent=puppet`, {
    headers,
  } as unknown as string)
  const long: number[] = []
  const attached = Promise.withResolvers<void>()
  let wake = () => {}
  socket.onopen = () => socket.send(JSON.stringify(initialize))
  socket.onmessage = ({ data }: { data: string }) => {
    if (data.length > MiB) long.push(data.length)
    else if (data.startsWith('{"jsonrpc":"2.0","id":0,')) socket.send(JSON.stringify(attach))
    else if (data.startsWith('{"jsonrpc":"2.0","id":1,')) attached.resolve()
    wake()
  }
  await attached.promise
  const until = async (count: number) => {
    while (long.length < count)
      await new Promise<void>((resolve) => {
        wake = resolve
      })
  }
  return { long, until, close: () => socket.close() }
}

overfill(
  ["longMessagesBytes"],
  "messages that clients of WebSockets do not take are bounded together, and whoever reads gets all",
  async () => {
    await using daemon = await startPuppet()
    await daemon.api.create("long", { agent: "puppet" })
    await play(daemon, "long", [])
    const deaf = 2 * Math.floor(acpLimits.longMessagesBytes / lineBytes)
    for (let i = 0; i < deaf; i++) {
      const one = await deafSocket(daemon, "/v1/rpc?agent=puppet")
      await one.say([initialize, attach].map((message) => JSON.stringify(message)))
    }
    const live = await reader(daemon)
    const lines = 3
    let most = 0
    let isOver = false
    const watched = (async () => {
      while (!isOver) {
        most = Math.max(most, await metric(daemon, "socket_buffered_bytes"))
        // Looking all the time would be most of what the daemon does.
        await Bun.sleep(5)
      }
    })()
    await play(daemon, "long", Array<Step>(lines).fill(line))
    // Its turn comes: those that take nothing are closed for it.
    await live.until(lines)
    isOver = true
    await watched
    expect(Math.min(...live.long)).toBeGreaterThan(lineBytes)
    // The kernel takes some megabytes for each; the rest of theirs would be half as much again.
    expect(most).toBeGreaterThan(acpLimits.longMessagesBytes / 4)
    expect(most).toBeLessThan(acpLimits.longMessagesBytes + (deaf + 1) * acpLimits.socketBytes)
    live.close()
  },
  { timeout: 180_000 },
)

/** One whose client takes so many bytes until each look. */
function holder(takes: number): Holder & { givenUp: Promise<void>; isGivenUp: boolean } {
  const { promise, resolve } = Promise.withResolvers<void>()
  let left = 10
  return {
    givenUp: promise,
    isGivenUp: false,
    waiting() {
      left -= takes
      return left
    },
    giveUp() {
      this.isGivenUp = true
      resolve()
    },
  }
}

overfill(
  ["longMessageMs"],
  "while others wait for the room, who takes nothing is given up and who takes some is not",
  async () => {
    const room = new LongMessages(1)
    const half = acpLimits.longMessagesBytes / 2
    const [deaf, slow, next, last] = [holder(0), holder(1), holder(0), holder(0)]
    expect([room.take(deaf, half), room.take(slow, half), room.take(next, half)]).toEqual([true, true, false])
    const order: string[] = []
    const waiting = [
      room.wait(next, 3 * half).then(() => order.push("next")),
      room.wait(last, 1).then(() => order.push("last")),
    ]
    await deaf.givenUp
    expect(slow.isGivenUp).toBe(false)
    room.release(deaf)
    // In the order in which they came, and one that is longer than all the room goes alone.
    await Promise.resolve()
    expect([order, room.bytes]).toEqual([[], half])
    room.release(slow)
    await waiting[0]
    expect([order, room.bytes]).toEqual([["next"], 3 * half])
    room.release(next)
    await Promise.all(waiting)
    expect(room.bytes).toBe(1)
    room.release(last)
    expect(room.bytes).toBe(0)
  },
)
