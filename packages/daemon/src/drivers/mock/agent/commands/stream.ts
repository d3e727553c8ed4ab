import { interruptible, sleep, yieldToEventLoop } from "../interrupt.ts"
import type { Turn } from "../turn.ts"
import { BadArguments, type Command, split, wholeNumber } from "./command.ts"

const MAX_DELTAS = 1_000_000_000
const MAX_BYTES = 1024 * 1024
/** One write of many lines; a pipe holds 64 KiB. */
const CHUNK = 64 * 1024

export const stream: Command = {
  hint: "N [BYTES]",
  description: "Streams N deltas as fast as the pipe takes them",
  async run(argument, turn) {
    const [n, size] = split(argument, 2)
    const count = wholeNumber(n, "N", 1, MAX_DELTAS)
    const bytes = size === undefined ? 8 : wholeNumber(size, "BYTES", 1, MAX_BYTES)
    const id = turn.blocks.start({ kind: "text" })
    // The text needs no escaping, so a line is put together by hand: this is what the benchmark drives.
    const [head, tail] = [`{"type":"delta","id":${JSON.stringify(id)},"text":"`, '"}\n']
    const wrap = 10 ** Math.max(1, bytes - 1)
    let chunk = ""
    for (let i = 0; i < count; i++) {
      chunk += head + String(i % wrap).padEnd(bytes) + tail
      if (chunk.length < CHUNK) continue
      await writeChunk(turn, chunk)
      chunk = ""
    }
    if (chunk !== "") await writeChunk(turn, chunk)
    turn.blocks.end(id)
  },
}

export const flood: Command = {
  hint: "N PER_SECOND",
  description: "Streams N deltas at a steady rate, each with its index and the time it was written",
  async run(argument, turn) {
    const [n, perSecond] = split(argument, 2)
    const count = wholeNumber(n, "N", 1, MAX_DELTAS)
    const rate = Number(perSecond)
    if (!(rate > 0 && rate <= MAX_DELTAS)) throw new BadArguments("PER_SECOND is a number above 0.")
    const id = turn.blocks.start({ kind: "text" })
    const started = performance.now()
    for (let i = 0; i < count; i++) {
      // Due times come from the start, so late timers do not add up.
      const wait = started + (i * 1000) / rate - performance.now()
      if (wait > 0) await sleep(wait, turn.signal)
      turn.takeSteered()
      turn.blocks.delta(id, `${i}:${(performance.timeOrigin + performance.now()).toFixed(3)} `)
      if (i % 1000 === 999) await yieldToEventLoop()
      turn.signal.throwIfAborted()
      const room = turn.room()
      if (room !== undefined) await room
    }
    turn.blocks.end(id)
  },
}

async function writeChunk(turn: Turn, chunk: string): Promise<void> {
  turn.agent.out.raw(chunk)
  await interruptible(turn.agent.out.flush(), turn.signal)
  await yieldToEventLoop()
  turn.signal.throwIfAborted()
  turn.takeSteered()
}
