import { expect, test } from "vitest"
import { callWords } from "../../../src/cli/chat/tool-text.ts"

const call = (name: string, given: object, title?: string) =>
  callWords({ type: "tool_call", name, call_id: "1", arguments: JSON.stringify(given), ...(title && { title }) })

test("a call is named with what it is about, and nothing is said twice", () => {
  expect(call("Read", { file_path: "/a/b.ts" })).toBe("Read /a/b.ts")
  expect(call("Edit", { file_path: "/a/notes.txt" }, "notes.txt")).toBe("Edit /a/notes.txt")
  expect(call("Bash", { command: "ls -la" }, "ls -la")).toBe("ls -la")
  expect(call("Bash", { command: "ls" }, "List the files")).toBe("List the files ls")
  expect(call("Look", {})).toBe("Look")
})
