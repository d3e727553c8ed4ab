import { acpLimits } from "@sandbox-agent/schema/acp-limits"
import { expect, test } from "vitest"
import type { Session } from "../../src/core/session.ts"
import type { Acp } from "../../src/faces/acp/acp.ts"
import { Pages } from "../../src/faces/acp/pages.ts"
import { traitsOf } from "../../src/faces/acp/projection/traits.ts"
import { frame } from "../../src/store/frames.ts"
import { Log } from "../../src/store/log.ts"
import { overfill } from "./overfill.ts"
import { standalone } from "./standalone.ts"

const event = (sequence: number, type: string, data: object) =>
  frame(
    sequence,
    JSON.stringify({
      event_id: "e",
      sequence,
      time: "t",
      session_id: "one",
      source: "agent",
      synthetic: false,
      type,
      data,
    }),
  )

const s = { record: { uid: 1, id: "one", agent: "mock" }, log: new Log(1) } as unknown as Session

function newPages(): Pages {
  const { connections, rows } = standalone()
  const { services } = connections.acp
  return new Pages({ services, rows, catalogs: { known: () => undefined } } as unknown as Acp)
}

test("a page is projected once for all clients with the same traits, and sent as the same bytes", () => {
  const pages = newPages()
  const item = {
    item_id: "i",
    kind: "message",
    role: "assistant",
    status: "in_progress",
    content: [{ type: "text", text: "" }],
  }
  const bytes = new TextEncoder().encode(
    event(1, "item.started", { item }) +
      event(2, "item.delta", { item_id: "i", delta: "hello", part: { index: 0, type: "text" } }) +
      event(3, "question.requested", {
        question_id: "que_1",
        prompt: "Which?",
        options: ["A"],
        status: "requested",
        questions: [
          {
            id: "q",
            prompt: "Which?",
            type: "choice",
            options: [{ label: "A" }],
            multi_select: false,
            allow_other: false,
          },
        ],
      }),
  )
  const page = { first: 1, count: 3, pos: 40, bytes }
  const plain = pages.of(s, page, traitsOf({}))
  expect(pages.of(s, page, traitsOf({}))).toBe(plain)
  expect(plain.lines.map(({ seq, pos, k }) => [seq, pos, k])).toEqual([
    [2, 41, 0],
    [3, 42, 0],
    [3, 42, 1],
  ])
  expect(new TextDecoder().decode(plain.frames)).toMatch(
    /^id: 41\.0\ndata: .*hello.*\n\nid: 42\.0\ndata: .*tool_call.*\n\nid: 42\.1\ndata: .*request_permission/,
  )
  const form = pages.of(s, page, traitsOf({ elicitation: { form: {} } }))
  expect(form).not.toBe(plain)
  expect(new TextDecoder().decode(form.frames)).toContain("elicitation/create")
})

overfill(["projectedBytes"], "beyond them the pages not asked for longest are projected anew", () => {
  const pages = newPages()
  const traits = traitsOf({})
  const size = acpLimits.projectedBytes / 16
  const page = (n: number) => {
    const error = { message: `${n} ${"x".repeat(size)}` }
    return { first: n, count: 1, pos: 100 + n, bytes: new TextEncoder().encode(event(n, "error", error)) }
  }
  const made = Array.from({ length: 7 }, (_, n) => pages.of(s, page(n), traits))
  // Read from the database a page has other bytes, and is the same page all the same.
  expect(pages.of(s, page(0), traits) === made[0]).toBe(true)
  for (let n = 7; n < 10; n++) pages.of(s, page(n), traits)
  expect(pages.of(s, page(0), traits) === made[0]).toBe(true)
  const again = pages.of(s, page(1), traits)
  expect(again === made[1]).toBe(false)
  expect(Buffer.compare(again.frames, made[1]?.frames ?? new Uint8Array())).toBe(0)
  const huge = {
    first: 90,
    count: 1,
    pos: 900,
    bytes: new TextEncoder().encode(event(90, "error", { message: "x".repeat(16 * size) })),
  }
  const kept = pages.of(s, huge, traits)
  expect(pages.of(s, huge, traits) === kept).toBe(true)
  expect(pages.of(s, page(0), traits) === made[0]).toBe(false)
})

overfill(
  ["projectedMostBytes"],
  "where pages that were dropped are asked for again more are kept, up to so much",
  () => {
    const pages = newPages()
    const size = acpLimits.projectedBytes / 16
    const page = (n: number) => {
      const bytes = new TextEncoder().encode(event(n, "error", { message: `${n} ${"x".repeat(size)}` }))
      return { first: n, count: 1, pos: n, bytes }
    }
    /** The rounds through so many pages after which none of them is made anew. */
    const rounds = (count: number): number | undefined => {
      let before: unknown[] = []
      for (let round = 0; round < 12; round++) {
        const made = Array.from({ length: count }, (_, n) => pages.of(s, page(n), traitsOf({})))
        if (made.every((one, n) => one === before[n])) return round
        before = made
      }
      return undefined
    }
    // A page counts with what is made of it.
    const most = acpLimits.projectedMostBytes / (2 * size)
    expect(rounds(most / 2)).toBeTypeOf("number")
    expect(rounds(2 * most)).toBeUndefined()
  },
)

overfill(["projectedBytes"], "pages that tell clients nothing are counted as well", () => {
  const pages = newPages()
  const traits = traitsOf({})
  const page = (n: number) => {
    const data = { message_id: "m".repeat(acpLimits.projectedBytes / 8), state: "queued", delivery: "queue" }
    return { first: n, count: 1, pos: n, bytes: new TextEncoder().encode(event(n, "message.updated", data)) }
  }
  const first = pages.of(s, page(1), traits)
  expect(first.last).toBe(undefined)
  expect(pages.of(s, page(1), traits) === first).toBe(true)
  for (let n = 2; n < 10; n++) pages.of(s, page(n), traits)
  expect(pages.of(s, page(1), traits) === first).toBe(false)
})

test("pages that are forgotten are made again, the same", () => {
  const pages = newPages()
  const bytes = new TextEncoder().encode(event(1, "error", { message: "x" }))
  const page = { first: 1, count: 1, pos: 7, bytes }
  const made = pages.of(s, page, traitsOf({}))
  pages.forget()
  const again = pages.of(s, page, traitsOf({}))
  expect(again === made).toBe(false)
  expect(again.frames).toEqual(made.frames)
})
