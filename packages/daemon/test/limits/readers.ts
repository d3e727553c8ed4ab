import { rmSync } from "node:fs"
import { setImmediate as nextTurn } from "node:timers/promises"
import { limits } from "@sandbox-agent/schema/limits"
import { expect } from "vitest"
import { inFlight } from "../../src/faces/http/in-flight.ts"
import { pagesInProgress, roomFor } from "../../src/faces/http/pages-in-progress.ts"
import { Reading, type Source } from "../../src/faces/http/reading.ts"
import { type Kind, Turns } from "../../src/faces/http/turns.ts"
import { Log } from "../../src/store/log.ts"
import { LogReader, type Run } from "../../src/store/reader.ts"
import { SharedPages } from "../../src/store/shared-pages.ts"
import { Store } from "../../src/store/store.ts"
import { scratch } from "../harness/daemon.ts"
import { overfill } from "./overfill.ts"

/** A log with events of these lengths, one in each page, none of them in memory. */
function storedLog(lengths: readonly number[]) {
  const directory = scratch()
  const store = new Store({ kind: "memory", directory })
  const log = new Log(1)
  for (const [i, length] of lengths.entries()) {
    store.append(log, i + 1, JSON.stringify("x".repeat(length)), 0)
    store.flush()
  }
  log.dropTail()
  const close = () => {
    store.close()
    rmSync(directory, { recursive: true, force: true })
  }
  return { log, reader: new LogReader(store.db), [Symbol.dispose]: close }
}

overfill(
  ["readerPageBytes"],
  "a step of a reader ends by its native lines too, and who wants events alone reads no line",
  () => {
    const directory = scratch()
    const store = new Store({ kind: "memory", directory })
    const log = new Log(1, true)
    const line = "x".repeat(limits.readerPageBytes)
    const events = 20
    for (let n = 1; n <= events; n++) {
      store.raw(log, n, "<", line)
      store.append(log, n, "{}", n)
      store.flush()
    }
    log.dropTail()
    const reader = new LogReader(store.db)
    let read = 0
    reader.onRead = (bytes) => {
      read += bytes
    }
    expect(reader.texts(log, 0, events)).toHaveLength(events)
    expect(read).toBeLessThan(line.length)
    const found: (string | undefined)[] = []
    for (let cursor = 0; cursor < events; ) {
      read = 0
      const pages = reader.pages(log, cursor)
      expect(read).toBeLessThan(2 * line.length)
      for (const { first, lines } of pages) found.push(lines?.text(first))
      cursor += pages.length
    }
    expect(found).toEqual(Array(events).fill(line))
    store.close()
    rmSync(directory, { recursive: true, force: true })
  },
)

const sourceOf = (log: Log, reader: LogReader): Source => ({ log, reader, cursor: 0 }) as unknown as Source

overfill(["sliceBytes"], "events of any length are given in slices, the same bytes also when nobody keeps them", () => {
  using it = storedLog([10, 3 * limits.sliceBytes, 10, limits.sliceBytes, 10])
  const whole: Uint8Array[] = []
  for (let cursor = 0; cursor < it.log.last; ) {
    const run = it.reader.next(it.log, cursor)
    if (run === undefined) break
    whole.push(run.bytes)
    cursor = run.last
  }
  for (const isForgotten of [false, true]) {
    const reading = new Reading(sourceOf(it.log, it.reader))
    const slices: Uint8Array[] = []
    while (reading.read(limits.sliceBytes) !== undefined) {
      slices.push(reading.handOver())
      if (isForgotten) reading.close()
      if (isForgotten) it.reader.forgetShared()
    }
    expect(Math.max(...slices.map(({ length }) => length))).toBe(limits.sliceBytes)
    expect(Buffer.concat(slices).equals(Buffer.concat(whole)), `forgotten: ${isForgotten}`).toBe(true)
  }
})

overfill(
  ["heldPagesBytes"],
  "what is made of long events for a reader is made again for each slice when there is no room, the same bytes",
  () => {
    using it = storedLog([10, 3 * limits.sliceBytes, 10])
    for (const isFull of [false, true]) {
      const release = isFull ? roomFor({}, limits.heldPagesBytes) : undefined
      let made = 0
      const of = (run: Run) => ({ bytes: Buffer.concat([run.bytes, run.bytes]), end: ++made < 0, last: run.last })
      const reading = new Reading({ ...sourceOf(it.log, it.reader), transform: { name: `twice ${isFull}`, of } })
      const slices: Uint8Array[] = []
      while (reading.read(limits.leastSliceBytes) !== undefined) slices.push(reading.handOver())
      reading.close()
      pagesInProgress.forget()
      release?.()
      const runs: Uint8Array[] = []
      for (let cursor = 0; cursor < it.log.last; ) {
        const run = it.reader.next(it.log, cursor)
        if (run === undefined) break
        runs.push(run.bytes, run.bytes)
        cursor = run.last
      }
      expect(Buffer.concat(slices).equals(Buffer.concat(runs))).toBe(true)
      if (isFull) expect(made).toBeGreaterThan(slices.length / 2)
      else expect(made).toBeLessThan(5)
    }
  },
)

overfill(
  ["handedBytes", "leastSliceBytes"],
  "the more that clients have not taken, the smaller a slice, down to the least",
  () => {
    const before = inFlight.bytes
    try {
      const all: number[] = []
      // As many readers as there may be, and none of them takes anything.
      for (let reader = 0; reader < limits.streams; reader++) {
        all.push(inFlight.slice)
        inFlight.bytes += inFlight.slice
      }
      expect(all[0]).toBe(limits.sliceBytes)
      expect(all.at(-1)).toBe(limits.leastSliceBytes)
      expect(inFlight.bytes - before).toBeGreaterThan(limits.handedBytes / 2)
      expect(inFlight.bytes - before).toBeLessThan(limits.handedBytes + limits.streams * limits.leastSliceBytes)
    } finally {
      inFlight.bytes = before
    }
  },
)

overfill(
  ["turnBytes"],
  "what readers are given between two turns of the loop is bounded, in turn, and what is new comes first",
  async () => {
    const turns = new Turns()
    const slice = limits.turnBytes / 4
    const order: string[] = []
    let inThisTurn = 0
    let most = 0
    let isOver = false
    const read = async (name: string, kind: Kind, slices: number) => {
      for (let i = 0; i < slices; i++) {
        await turns.wait(kind)
        inThisTurn += slice
        most = Math.max(most, inThisTurn)
        order.push(name)
        turns.gave(kind, slice)
      }
    }
    const loop = (async () => {
      while (!isOver) {
        await nextTurn()
        inThisTurn = 0
      }
    })()
    const behind = ["a", "b", "c"].map((name) => read(name, "behind", 20))
    await nextTurn()
    const soFar = order.length
    await read("new", "fresh", 1)
    expect(order.indexOf("new")).toBeLessThanOrEqual(soFar)
    await Promise.all(behind)
    isOver = true
    await loop
    // Their turns of the loop and ours need not begin at the same moment.
    expect(most).toBeLessThanOrEqual(2 * limits.turnBytes + slice)
    expect(order.filter((name) => name !== "new").slice(-30)).toEqual(Array(10).fill(["a", "b", "c"]).flat())
  },
)

overfill(
  ["turnMs"],
  "who reads what is past and takes long at it waits for the next turn, who waits for something new does not",
  async () => {
    const turns = new Turns()
    expect(turns.wait("behind")).toBeUndefined()
    turns.gave("behind", 1)
    const began = performance.now()
    while (performance.now() - began < limits.turnMs);
    const turn = turns.wait("behind")
    expect(turn).toBeInstanceOf(Promise)
    expect(turns.wait("fresh")).toBeUndefined()
    await turn
  },
)

overfill(["turnMs"], "who looks at much that is not for it takes its turns as well", async () => {
  const turns = new Turns()
  expect(turns.wait("behind")).toBeUndefined()
  turns.gave("behind", 0)
  const began = performance.now()
  while (performance.now() - began < limits.turnMs);
  expect(turns.wait("behind")).toBeInstanceOf(Promise)
})

overfill(["sharedPagesBytes"], "pages that were just read are read once for all, and the oldest go", () => {
  const shared = new SharedPages()
  let reads = 0
  const size = limits.sharedPagesBytes / 8
  const read = (n: number) =>
    shared.of(
      `${n}`,
      () => ({ n: ++reads }),
      () => size,
    )
  for (let round = 0; round < 3; round++) for (let n = 0; n < 8; n++) read(n)
  expect(reads).toBe(8)
  read(8)
  read(1)
  expect(reads).toBe(9)
  read(0)
  expect(reads).toBe(10)
})

overfill(["sharedPagesMostBytes"], "where what was dropped is asked for again more is kept, up to so much", () => {
  const shared = new SharedPages()
  const size = limits.sharedPagesBytes / 8
  const pages = limits.sharedPagesMostBytes / size
  /** How many of the first pages had to be read, when all of them are asked for in a round. */
  const round = (count: number) => {
    let reads = 0
    const read = () => ({ n: ++reads })
    for (let n = 0; n < count; n++) shared.of(`${n}`, read, () => size)
    return reads
  }
  const rounds = (count: number) => Array.from({ length: 12 }, () => round(count)).at(-1)
  expect(round(pages)).toBe(pages)
  expect(rounds(pages)).toBe(0)
  expect(rounds(2 * pages)).toBeGreaterThan(0)
  shared.forget()
  expect(round(pages)).toBe(pages)
  expect(round(pages)).toBeGreaterThan(0)
})

overfill(
  ["heldPagesBytes"],
  "long events are kept for those who are in the middle of them, once for all, up to so much",
  () => {
    const shared = new SharedPages()
    const size = limits.heldPagesBytes / 4
    const long = { long: true }
    const kept = () =>
      shared.of<object>(
        "0",
        () => undefined,
        () => size,
      )
    const releases = Array.from({ length: 10 }, () => shared.hold("0", long, size))
    expect(kept()).toBe(long)
    const others = [1, 2, 3].map((n) => shared.hold(`${n}`, { n }, size))
    expect(kept()).toBe(long)
    // The one that was not used for longest makes room.
    expect(shared.hold("4", long, size)).toBeTypeOf("function")
    const of = (n: number) =>
      shared.of<object>(
        `${n}`,
        () => undefined,
        () => size,
      )
    expect([of(1), of(2), of(3)]).toEqual([undefined, { n: 2 }, { n: 3 }])
    others[0]?.()
    for (const release of releases.slice(1)) release?.()
    expect(kept()).toBe(long)
    releases[0]?.()
    expect(kept()).toBeUndefined()
    // What cannot be read again is not driven out.
    for (let n = 5; n < 9; n++) expect(shared.hold(`${n}`, long, size, true)).toBeTypeOf("function")
    expect(shared.hold("9", long, size)).toBeUndefined()
  },
)

overfill(["heldPagesBytes"], "who waits in the middle of what was driven out does not keep it in memory", () => {
  const shared = new SharedPages()
  const size = limits.heldPagesBytes / 4
  const held = Array.from({ length: 40 }, (_, n) => {
    const value = { n }
    return { release: shared.hold(`${n}`, value, size), value: new WeakRef(value) }
  })
  Bun.gc(true)
  // Those that have room, and what a look at the stack may take for one of the others.
  expect(held.filter(({ value }) => value.deref() !== undefined).length).toBeLessThan(10)
  for (const { release } of held) release?.()
})
