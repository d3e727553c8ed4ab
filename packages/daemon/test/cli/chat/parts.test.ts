import type { Permission } from "@sandbox-agent/schema/request"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Editor } from "../../../src/cli/chat/editor.ts"
import { countText, durationText } from "../../../src/cli/chat/footer.ts"
import { bounded, keptChars, keptLines } from "../../../src/cli/chat/history.ts"
import { type Key, KeyReader } from "../../../src/cli/chat/keys.ts"
import { MarkdownStream } from "../../../src/cli/chat/markdown.ts"
import { OpenRequests } from "../../../src/cli/chat/requests.ts"
import { inputRows } from "../../../src/cli/chat/screen.ts"
import { wrapped } from "../../../src/cli/chat/wrap.ts"

const plain = (_: unknown, text: string): string => text
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

describe("keys", () => {
  const sent: [string, string][] = [
    ["a", "a"],
    ["é日👍", "é日👍"],
    ["\r", "enter"],
    ["\x1b\r", "newline"],
    ["\x1b[A", "up"],
    ["\x1bOB", "down"],
    ["\x1b[1;5D", "word-left"],
    ["\x1b[3~", "delete"],
    ["\x1b[200~two\r\nlines\x1b[201~", "two\nlines"],
    ["\x03", "interrupt"],
    ["\x1b[99~", "unknown"],
  ]
  const nameOf = (key: Key): string => (key.type === "text" ? key.text : key.type)

  /** What is typed may come in pieces, and is the same text. */
  const joined = (keys: readonly Key[]): string[] => {
    const names: string[] = []
    keys.forEach((key, i) => {
      const goesOn = key.type === "text" && !key.pasted && keys[i - 1]?.type === "text"
      names.push(goesOn ? `${names.pop()}${nameOf(key)}` : nameOf(key))
    })
    return names
  }

  test("however they are cut", () => {
    const whole = bytes(sent.map(([text]) => text).join(""))
    fc.assert(
      fc.property(fc.array(fc.nat({ max: whole.length }), { maxLength: 8 }), (cuts) => {
        const reader = new KeyReader()
        const at = [0, ...cuts.sort((a, b) => a - b), whole.length]
        const keys = at.slice(1).flatMap((end, i) => reader.push(whole.subarray(at[i], end)))
        expect(joined(keys)).toEqual(["aé日👍", ...sent.slice(2).map(([, name]) => name)])
      }),
    )
  })

  test("an Escape alone is one once nothing follows it", () => {
    const reader = new KeyReader()
    expect(reader.push(bytes("\x1b"))).toEqual([])
    expect(reader.waits).toBe(true)
    expect(reader.alone()).toEqual([{ type: "escape" }])
    expect(reader.push(bytes("\x1b\x1b[A")).map(nameOf)).toEqual(["escape", "up"])
  })
})

describe("a line that is written", () => {
  const press = (editor: Editor, ...keys: (string | Key["type"])[]): void => {
    for (const key of keys)
      editor.press(key.startsWith("=") ? { type: "text", text: key.slice(1) } : ({ type: key } as Key))
  }

  test("moves and removes by letters as people see them, and by words", () => {
    const editor = new Editor()
    press(editor, "=one two 👩‍👩‍👧", "left", "backspace", "=X")
    expect([editor.text, editor.before]).toEqual(["one twoX👩‍👩‍👧", "one twoX"])
    press(editor, "end", "backspace", "kill-word")
    expect(editor.text).toBe("one ")
    press(editor, "home", "delete", "word-right", "=!", "kill-end")
    expect(editor.text).toBe("ne!")
    press(editor, "kill-start", "kill-word")
    expect(editor.text).toBe("")
  })

  test("goes through what was typed and comes back to the line that was begun", () => {
    const editor = new Editor(["first", "second"])
    press(editor, "=draft", "up")
    expect(editor.text).toBe("second")
    press(editor, "up", "up")
    expect(editor.text).toBe("first")
    press(editor, "down", "down")
    expect(editor.text).toBe("draft")
    expect(editor.take()).toBe("draft")
    expect(editor.history).toEqual(["first", "second", "draft"])
  })

  test("is laid out within the screen, with the cursor behind what stands before it", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme" }),
        fc.string({ unit: "grapheme" }),
        fc.integer({ min: 20, max: 60 }),
        (before, after, width) => {
          const clean = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, "")
          const { rows, cursor } = inputRows("› ", clean(before) + clean(after), clean(before), width)
          for (const row of rows) expect(Bun.stringWidth(row)).toBeLessThanOrEqual(width)
          expect(cursor?.row).toBeLessThan(rows.length)
        },
      ),
    )
  })

  test("what is kept of the history is bounded", () => {
    const many = Array.from({ length: keptLines + 10 }, (_, i) => `line ${i}`)
    expect(bounded(many)).toHaveLength(keptLines)
    expect(bounded([...many, "x".repeat(keptChars + 1)]).at(-1)).toBe(`line ${keptLines + 9}`)
  })
})

describe("markdown", () => {
  const rowsOf = (text: string, cuts: readonly number[] = []): string[] => {
    const stream = new MarkdownStream(plain, () => 40)
    const at = [0, ...cuts.map((cut) => cut % (text.length + 1)).sort((a, b) => a - b), text.length]
    return [...at.slice(1).flatMap((end, i) => stream.push(text.slice(at[i], end))), ...stream.end()]
  }
  const text =
    "# Head\n\nSome **bold** and `code` in a paragraph that is longer than one row.\n- item\n  1. inner item\n> quote\n```ts\nconst a = 1\n```\nthe [docs](https://x.y)\n"

  test("reads as text", () => {
    expect(rowsOf(text)).toEqual([
      "Head",
      "",
      "Some bold and code in a paragraph that ",
      "is longer than one row.",
      "• item",
      "  1. inner item",
      "│ quote",
      "  const a = 1",
      "the docs (https://x.y)",
    ])
  })

  test("is the same however it comes", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: text.length }), { maxLength: 12 }), (cuts) => {
        expect(rowsOf(text, cuts)).toEqual(rowsOf(text))
      }),
    )
  })

  test("no row is wider than the screen, and nothing an agent writes steers it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (words) => {
        for (const row of rowsOf(words)) {
          expect(row).not.toMatch(/\p{Cc}/u)
          expect(Bun.stringWidth(row.trimEnd())).toBeLessThanOrEqual(40)
        }
      }),
    )
  })

  test("styles go on in the next row", () => {
    expect(wrapped("\x1b[1mone two\x1b[0m", 4)).toEqual(["\x1b[1mone ", "\x1b[1mtwo\x1b[0m"])
  })
})

describe("requests", () => {
  const permission = (id: string): Permission =>
    ({
      permission_id: id,
      action: "Run a command",
      status: "requested",
      kind: "command",
      detail: { command: "ls" },
      choices: [],
    }) as Permission
  const letter = (text: string): Key => ({ type: "text", text })

  test("keys of somebody who writes are no answer until they pause", () => {
    let now = 1_000
    const open = new OpenRequests(
      plain,
      () => 80,
      undefined,
      () => now,
    )
    const editor = new Editor()
    open.permission(permission("p"))
    open.writing()
    for (let i = 0; i < 5; i++) {
      now += 300
      expect(open.press(letter("a"), editor)).toBeUndefined()
    }
    now += 401
    expect(open.press(letter("y"), editor)).toMatchObject({ path: "permissions/p/reply", body: { reply: "once" } })
  })

  test("only the keys that are shown answer, and Esc goes back from a no", () => {
    const open = new OpenRequests(plain, () => 80)
    const editor = new Editor()
    open.permission({ ...permission("p"), choices: ["once", "reject"] })
    expect(open.rows().at(-1)).toBe("  [y]es once   [n]o")
    for (const key of ["a", "x", " "]) expect(open.press(letter(key), editor)).toBeUndefined()
    expect(open.press({ type: "enter" }, editor)).toBeUndefined()
    open.press(letter("n"), editor)
    open.press({ type: "escape" }, editor)
    expect(open.press(letter("Y"), editor)).toMatchObject({ body: { reply: "once" } })
    expect(open.current).toBeUndefined()
  })
})

test("what a turn took, in words", () => {
  expect([950, 4_100, 1_250_000].map(countText)).toEqual(["950", "4.1k", "1.3M"])
  expect([640, 12_400, 125_000].map(durationText)).toEqual(["0.6 s", "12 s", "2 min 5 s"])
})
