import type { Event } from "@sandbox-agent/schema/event"
import type { Permission, Question, QuestionPart } from "@sandbox-agent/schema/request"
import { describe, expect, test } from "vitest"
import { askPermission, askQuestion, chosen, type Prompt } from "../../src/cli/ask.ts"
import { PendingRequests } from "../../src/cli/run-asks.ts"
import { event, fakeDaemon } from "./fake-daemon.ts"

const plain = (_: unknown, text: string): string => text
/** Answers with the lines given, then with the end of input. */
function person(...lines: string[]): { prompt: Prompt; asked: string[] } {
  const asked: string[] = []
  const prompt: Prompt = (text) => {
    asked.push(text)
    return Promise.resolve(lines.shift())
  }
  return { prompt, asked }
}

const permission: Permission = {
  permission_id: "p",
  action: "Run",
  status: "requested",
  kind: "command",
  detail: { command: "rm \x1b[1mx", diff: "-a\n+b" },
  choices: ["once", "reject"],
}
const part = (more: Partial<QuestionPart> = {}): QuestionPart => ({
  id: "c",
  prompt: "Which?",
  type: "choice",
  options: [{ label: "Red" }, { label: "2" }, { label: "Blue" }],
  multi_select: false,
  allow_other: false,
  ...more,
})

describe("while a turn runs", () => {
  const options = { session: "s", json: false, permissionMode: undefined }
  const asked = (id: string, by?: "rule") =>
    event("permission.requested", { ...permission, permission_id: id, by }) as unknown as Event
  const resolved = (id: string) =>
    event("permission.resolved", { ...permission, permission_id: id, status: "cancelled" }) as unknown as Event

  test("a question that needs no answer any more makes room for the next", async () => {
    await using daemon = fakeDaemon(() => Response.json({}))
    const shown = Promise.withResolvers<void>()
    const second = Promise.withResolvers<void>()
    let waiting: ((line: string | undefined) => void) | undefined
    const prompt: Prompt = () =>
      new Promise((resolve) => {
        if (!waiting) shown.resolve()
        else {
          resolve("once")
          second.resolve()
        }
        waiting = resolve
      })
    const asks = new PendingRequests({ endpoint: daemon.url, token: undefined }, options, {
      prompt,
      dismiss: () => waiting?.(undefined),
      close: () => {},
    })
    asks.see(asked("first"))
    asks.see(asked("second"))
    await shown.promise
    asks.see(resolved("first"))
    await second.promise
    while (daemon.seen.length === 0) await Bun.sleep(5)
    expect(daemon.seen.map((s) => [s.path, s.body])).toEqual([
      ["/v1/sessions/s/permissions/second/reply", { reply: "once" }],
    ])
  })

  test("what a rule decided at once is not asked", async () => {
    await using daemon = fakeDaemon(() => Response.json({}))
    const { prompt, asked: questions } = person("once")
    const asks = new PendingRequests({ endpoint: daemon.url, token: undefined }, options, {
      prompt,
      dismiss: () => {},
      close: () => {},
    })
    asks.see(asked("ruled", "rule"))
    // However late its end is told.
    await Bun.sleep(0)
    asks.see(resolved("ruled"))
    asks.see(asked("open"))
    while (daemon.seen.length === 0) await Bun.sleep(5)
    expect(questions).toHaveLength(1)
    expect(daemon.seen[0]?.path).toBe("/v1/sessions/s/permissions/open/reply")
  })
})

describe("permissions", () => {
  test.each([
    [["once"], "once"],
    [["Y"], "once"],
    [["n"], "reject"],
    [["", "what", "always", "o"], "once"],
    [[], "reject"],
  ])("%j is %s", async (lines, reply) => {
    const { prompt, asked } = person(...lines)
    expect(await askPermission(permission, prompt, plain)).toBe(reply as "once")
    expect(asked).toHaveLength(Math.max(1, lines.length || 1))
    expect(asked[0]).toContain("Run: rm [1mx")
    expect(asked[0]).toContain("+b")
    expect(asked[0]).toContain("[once/reject]")
  })
})

describe("questions", () => {
  test.each([
    ["Red", part(), ["Red"]],
    ["red", part(), ["Red"]],
    ["1", part(), ["Red"]],
    ["2", part(), ["2"]],
    ["3", part(), ["Blue"]],
    ["4", part(), undefined],
    ["0", part(), undefined],
    ["green", part(), undefined],
    ["green", part({ allow_other: true }), ["green"]],
    ["1, blue", part({ multi_select: true }), ["Red", "Blue"]],
    ["1,nope", part({ multi_select: true }), undefined],
    ["", part(), undefined],
    ["", part({ required: false }), []],
    ["any text, with commas", part({ options: [], type: "text" }), ["any text, with commas"]],
  ])("%j", (line, question, labels) => {
    expect(chosen(question, line)).toEqual(labels)
  })

  const question = {
    question_id: "q",
    prompt: "",
    options: [],
    status: "requested",
    questions: [part(), part({ multi_select: true })],
  } satisfies Question

  test("each part is asked until it is answered", async () => {
    const { prompt, asked } = person("nope", "1", "1,3")
    expect(await askQuestion(question, prompt, plain)).toEqual([["Red"], ["Red", "Blue"]])
    expect(asked).toHaveLength(3)
  })

  test("the end of input is a refusal", async () => {
    expect(await askQuestion(question, person("1").prompt, plain)).toBeUndefined()
  })
})
