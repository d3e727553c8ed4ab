import type { Event } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"
import { expect, test } from "vitest"
import { checkLog } from "./checks.ts"

type Draft = Pick<Event, "type" | "data"> & Partial<Event>

/** A log from its payloads; the envelopes are good unless a draft says otherwise. */
const log = (...drafts: Draft[]): Event[] =>
  drafts.map((draft, i) => ({
    event_id: `evt_1_${i + 1}`,
    sequence: i + 1,
    time: "2026-01-01T00:00:00.000Z",
    session_id: "one",
    source: "daemon",
    synthetic: true,
    ...draft,
  })) as Event[]

const item = (more: Partial<Item> = {}): Item => ({
  item_id: "i1",
  kind: "message",
  role: "assistant",
  status: "in_progress",
  turn_id: "t1",
  content: [],
  ...more,
})
const text = (value: string): Item["content"] => [{ type: "text", text: value }]
const call: Item["content"] = [{ type: "tool_call", name: "T", arguments: "{}", call_id: "c" }]
const begin: Draft = { type: "session.started", data: {} }
const idle: Draft = { type: "session.updated", data: { status: "idle" } }
const turn: Draft = {
  type: "turn.started",
  data: { phase: "started", turn_id: "t1", origin: "agent", message_ids: [] },
}
const end: Draft = {
  type: "turn.ended",
  data: { phase: "ended", turn_id: "t1", message_ids: [], stop_reason: "end_turn" },
}
const over: Draft = { type: "session.ended", data: { reason: "terminated", terminated_by: "daemon" } }
const start = (more?: Partial<Item>): Draft => ({ type: "item.started", data: { item: item(more) } })
const done = (more?: Partial<Item>): Draft => ({
  type: "item.completed",
  data: { item: item({ status: "completed", ...more }) },
})
const delta = (value: string, reset?: boolean): Draft => ({
  type: "item.delta",
  data: { item_id: "i1", delta: value, part: { index: 0, type: "text" }, reset },
})
const message = (state: "queued" | "taken" | "withdrawn", more = {}): Draft => ({
  type: "message.updated",
  data: { message_id: "m", state, delivery: "queue", ...more },
})
const permission = (status: "requested" | "accept", turn_id?: string): Draft => ({
  type: status === "requested" ? "permission.requested" : "permission.resolved",
  data: { permission_id: "p", action: "Run", kind: "command", status, choices: [], turn_id },
})

test("a good log has nothing against it", () => {
  const good = log(
    begin,
    idle,
    turn,
    start(),
    delta("a"),
    delta("ab", true),
    done({ content: text("ab") }),
    permission("requested", "t1"),
    permission("accept", "t1"),
    end,
    over,
  )
  expect(checkLog(good)).toEqual([])
})

const wrong: [string, Draft[], RegExp][] = [
  ["a gap", [begin, { ...idle, sequence: 3 }], /gap/],
  ["time going back", [begin, { ...idle, time: "2025-01-01T00:00:00.000Z" }], /time went back/],
  ["a source that is not what it says", [begin, { ...idle, synthetic: false }], /synthetic/],
  ["data that does not fit", [begin, { type: "plan.updated", data: {} as never }], /does not fit/],
  ["another beginning", [idle], /begin with session.started/],
  ["a turn that never ends", [begin, turn], /never ended/],
  ["two turns at once", [begin, turn, turn, end], /still runs/],
  ["an end without a start", [begin, end], /does not run/],
  ["an item that never ends", [begin, turn, start(), end], /still open/],
  ["an item that ends twice", [begin, turn, start(), done(), done(), end], /completed twice/],
  ["a delta after the end", [begin, turn, start(), done(), delta("a"), end], /is done/],
  [
    "deltas that are not the text",
    [begin, turn, start(), delta("a"), done({ content: text("b") }), end],
    /folds to "a" but is "b"/,
  ],
  ["an answer without deltas", [begin, turn, start(), done({ content: text("b") }), end], /folds to "" but is "b"/],
  ["an item of another turn", [begin, start()], /belongs to t1/],
  [
    "an item without a turn that is not late",
    [begin, start({ turn_id: undefined }), done({ turn_id: undefined })],
    /late is undefined/,
  ],
  [
    "a call without a result",
    [begin, turn, start({ kind: "tool_call" }), done({ kind: "tool_call", content: call }), end],
    /call c has no result/,
  ],
  ["a request left open", [begin, permission("requested")], /never resolved/],
  ["a request left open by its turn", [begin, turn, permission("requested", "t1"), end], /request p is still open/],
  [
    "a request resolved twice",
    [begin, permission("requested"), permission("accept"), permission("accept")],
    /was not open/,
  ],
  ["a status that is not so", [begin, idle, { type: "session.updated", data: { status: "running" } }], /idle is due/],
  [
    "a message that was final",
    [begin, message("queued"), message("withdrawn"), message("queued")],
    /was withdrawn already/,
  ],
  [
    "a message taken without an item",
    [begin, message("queued"), turn, message("taken", { turn_id: "t1" }), end],
    /user item missing/,
  ],
  ["a message that stays in an ended session", [begin, message("queued"), over], /stayed queued/],
  ["something after the end", [begin, over, turn, end], /after session.ended/],
]

test.each(wrong)("sees %s", (_, drafts, expected) => {
  expect(checkLog(log(...drafts)).join("\n")).toMatch(expected)
})
