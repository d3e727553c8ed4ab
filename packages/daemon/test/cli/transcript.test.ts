import { answers } from "@sandbox-agent/schema/contract/answers"
import type { Event, EventType } from "@sandbox-agent/schema/event"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { answerText, columns } from "../../src/cli/answer.ts"
import { summaryOf } from "../../src/cli/event-text.ts"
import { paintFor, printable, terminalOf } from "../../src/cli/print.ts"
import { progressLine } from "../../src/cli/progress.ts"
import { fit, tabSeparated } from "../../src/cli/table.ts"
import { type Reader, Transcript } from "../../src/cli/transcript.ts"
import { event } from "./fake-daemon.ts"

/** What routes named for a list answer with, where that is an array. */
const listsOfContract = (): string[] =>
  Object.entries(answers).flatMap(([id, answer]) => {
    const shape =
      id.startsWith("list") && "response" in answer ? (answer.response as { shape?: object }).shape : undefined
    return Object.entries(shape ?? {}).flatMap(([name, schema]) => (schema instanceof z.ZodArray ? [name] : []))
  })
const plain = (_: unknown, text: string): string => text
const make = (type: EventType, data: unknown): Event => event(type, data) as unknown as Event
const text = (events: Event[], reader?: Reader): string => {
  const transcript = new Transcript(plain, reader)
  return events.map((e) => transcript.event(e)).join("") + transcript.end()
}
const item = (content: unknown[], more: Record<string, unknown> = {}) => ({
  item_id: "i",
  kind: "message",
  role: "assistant",
  status: "completed",
  content,
  ...more,
})
const delta = (words: string, more: Record<string, unknown> = {}) =>
  make("item.delta", { item_id: "i", delta: words, part: { index: 0, type: "text" }, ...more })
const done = (words: string, more: Record<string, unknown> = {}) =>
  make("item.completed", { item: item([{ type: "text", text: words }], more) })

describe("a transcript", () => {
  test("shows a text once, whether it came in deltas, whole, or more at the end", () => {
    const words = fc.array(fc.stringMatching(/^[a-z ]{1,8}$/), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(words, fc.nat({ max: 6 }), (parts, sent) => {
        const whole = parts.join("")
        expect(text([...parts.slice(0, sent).map((p) => delta(p)), done(whole)])).toBe(`${whole}\n`)
      }),
    )
  })

  test("says it anew where the end is not what the deltas said", () => {
    expect(text([delta("helo"), done("hello")])).toBe("helo\nhello\n")
    expect(text([delta("wrong"), delta("right", { reset: true }), done("right")])).toBe("wrong\nright\n")
  })

  test("keeps items that come at once apart", () => {
    const other = delta("two", { item_id: "j" })
    expect(text([delta("one"), other, delta(" more"), done("one more"), done("two", { item_id: "j" })])).toBe(
      "one\ntwo\n more\n",
    )
  })

  test("arguments and output are shown when complete, long output cut", () => {
    const call = { type: "tool_call", name: "bash", arguments: '{"command":"ls"}', call_id: "c" }
    const output = Array.from({ length: 20 }, (_, i) => `line ${i}`).join("\n")
    const shown = text([
      delta("{", { part: { index: 0, type: "arguments" } }),
      make("item.completed", { item: item([call], { kind: "tool_call" }) }),
      make("item.completed", { item: item([{ type: "tool_result", call_id: "c", output }], { kind: "tool_result" }) }),
    ])
    expect(shown).toContain('[tool] bash {"command":"ls"}\n[output] line 0\n')
    expect(shown).toContain("line 11\n… 8 more lines\n")
  })

  const permission = {
    permission_id: "p",
    action: "Run",
    status: "requested",
    kind: "command",
    detail: { command: "ls" },
    choices: [],
  }
  test("says how to answer, unless the reader is asked", () => {
    const asked = make("permission.requested", permission)
    expect(text([asked])).toBe(
      "[permission] Run: ls\n  answer with: sandbox-agent sessions reply-permission s p once|always|reject\n",
    )
    expect(text([asked], { asked: true })).toBe("")
    const byRule = make("permission.resolved", { ...permission, status: "accept", by: "rule" })
    expect(text([byRule], { asked: true })).toBe("[permission] Run: ls: accept\n")
  })

  test("the end of a turn, and what went wrong", () => {
    const ended = (more: object) => make("turn.ended", { phase: "ended", turn_id: "t", message_ids: [], ...more })
    expect(text([delta("cut"), ended({ stop_reason: "error", error: { code: "internal", message: "boom" } })])).toBe(
      "cut\n[turn ended] error: boom\n",
    )
    const tail = Array.from({ length: 50 }, (_, i) => `line ${i + 100}`).join("\n")
    const stderr = { head: "line 0", tail, truncated: true, total_lines: 150 }
    const died = text([
      ended({ stop_reason: "error", error: { code: "agent_process_exited", message: "gone", stderr } }),
    ])
    expect(died).toMatch(
      /^\[turn ended\] error: gone\n\[stderr\] … 138 lines before\nline 138\n(line \d+\n){10}line 149\n$/,
    )
    expect(text([ended({ stop_reason: "end_turn" })], { sent: true })).toBe("")
    expect(text([done("hi", { role: "user" })])).toBe("> hi\n")
    expect(text([done("hi", { role: "user" })], { sent: true })).toBe("")
  })

  test("nothing an agent writes steers the terminal", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (words) => {
        expect(text([delta(words)])).not.toMatch(/(?![\n\t])\p{Cc}/u)
        expect(text([make("error", { message: `\x1b[2J${words}` })])).not.toContain("\x1b")
      }),
    )
    expect(printable("a\x1b]0;title\x07b\r\nc\t\u009b2J")).toBe("a]0;titleb\nc\t2J")
  })

  test("an event of a type yet unknown is passed over, and listed as JSON", () => {
    const unknown = event("later.invented", { a: 1 }) as unknown as Event
    expect(text([unknown])).toBe("")
    expect(summaryOf(unknown)).toBe('{"a":1}')
  })
})

describe("answers", () => {
  const pipe = { tty: false, colour: false, width: 80 }
  const screen = { tty: true, colour: false, width: 40 }

  test("several lists in one answer are told apart", () => {
    const pending = {
      permissions: [{ permission_id: "p", kind: "tool", status: "requested", action: "x" }],
      questions: [{ question_id: "q", status: "requested", prompt: "?", options: ["a", "b"] }],
    }
    expect(answerText(pending, pipe)).toBe("permissions\tp\ttool\trequested\tx\t\nquestions\tq\trequested\t?\ta, b\n")
    const part = (prompt: string, ...labels: string[]) => ({ prompt, options: labels.map((label) => ({ label })) })
    const several = { question_id: "q", status: "requested", prompt: "Size?", options: ["S"] }
    const questions = [{ ...several, questions: [part("Size?", "S", "M"), part("Toppings?", "Cheese"), part("More?")] }]
    expect(answerText({ questions }, pipe)).toBe(
      "q\trequested\tSize?\tS, M\nq\trequested\tToppings?\tCheese\nq\trequested\tMore?\t\n",
    )
  })

  test("a table fits the screen", () => {
    const sessions = [{ id: "s", agent: "mock", status: "idle", updatedAt: "now", title: "日本語".repeat(30) }]
    const lines = answerText({ sessions, nextCursor: "5" }, screen).trimEnd().split("\n")
    expect(lines[0]).toMatch(/^ID +AGENT +STATUS +UPDAT… +TITLE +DIRE…$/)
    for (const line of lines) expect(Bun.stringWidth(line)).toBeLessThanOrEqual(40)
    expect(lines.at(-1)).toBe("nextCursor: 5")
    expect(answerText({ sessions: [] }, screen)).toBe("no sessions\n")
    expect(answerText({ sessions: [] }, pipe)).toBe("")
  })

  test("programs are listed by what was called, and no list is printed as JSON", () => {
    const processes = [
      { id: "proc_1", command: "npm", args: ["run", "dev"], cwd: "/w", status: "running", pid: 7, createdAtMs: 0 },
    ]
    expect(answerText({ processes }, pipe)).toBe("proc_1\trunning\t7\t0\tnpm run dev\t/w\n")
    expect(answerText({ processes }, { ...screen, width: 80 })).toMatch(
      /^ID +STATUS +PID +CREATED +COMMAND +CWD\nproc_1 .* npm run dev +\/w\n$/,
    )
    expect(answerText({ processes: [] }, screen)).toBe("no processes\n")
    expect(listsOfContract()).toContain("processes")
    for (const list of listsOfContract()) expect(Object.keys(columns)).toContain(list)
  })

  test("the transcript of items reads as a conversation on a screen", () => {
    const items = [
      item([{ type: "text", text: "hi" }], { role: "user" }),
      item([{ type: "text", text: "hello" }], { item_id: "j" }),
    ]
    expect(answerText({ items, sequence: 4 }, screen)).toBe("> hi\nhello\nsequence: 4\n")
  })

  test("one row is one line whatever the cells hold", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 1 }), (cells) => {
        const row = tabSeparated([cells])
        expect(row.split("\n")).toHaveLength(2)
        expect(row.split("\t")).toHaveLength(cells.length)
      }),
    )
  })

  test("a cut text is never wider than its place", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 1, max: 30 }), (words, width) => {
        expect(Bun.stringWidth(fit(words, width))).toBeLessThanOrEqual(width)
      }),
    )
  })

  test("progress never overfills its bar", () => {
    for (const bytes of [0, 5, 10, 50])
      expect(progressLine({ phase: "download", bytes, total: 10 }, pipe)).toMatch(/download \[[#-]{30}\] \d+%/)
  })
})

describe("colour", () => {
  const tty = { isTTY: true, columns: 120 }
  test.each([
    [tty, {}, true],
    [{}, {}, false],
    [tty, { NO_COLOR: "1" }, false],
    [tty, { NO_COLOR: "" }, true],
    [tty, { TERM: "dumb" }, false],
    [{}, { FORCE_COLOR: "1" }, true],
    [tty, { FORCE_COLOR: "0" }, false],
    [{}, { FORCE_COLOR: "1", NO_COLOR: "1" }, true],
  ])("%j %j", (stream, env, colour) => {
    expect(terminalOf(stream, env).colour).toBe(colour)
    expect(paintFor(terminalOf(stream, env))("red", "x")).toBe(colour ? "\x1b[31mx\x1b[0m" : "x")
  })

  test("width is that of the screen, else COLUMNS, else 80", () => {
    expect(terminalOf(tty, {}).width).toBe(120)
    expect(terminalOf({}, { COLUMNS: "33" }).width).toBe(33)
    expect(terminalOf({}, {}).width).toBe(80)
  })
})
