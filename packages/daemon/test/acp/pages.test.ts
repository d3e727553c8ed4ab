import { expect, test } from "vitest"
import type { Session } from "../../src/core/session.ts"
import type { Acp } from "../../src/faces/acp/acp.ts"
import { Pages } from "../../src/faces/acp/pages.ts"
import { traitsOf } from "../../src/faces/acp/projection/traits.ts"
import { frame } from "../../src/store/frames.ts"
import { Log } from "../../src/store/log.ts"
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

test("a page is projected once for all clients with the same traits, and sent as the same bytes", () => {
  const { connections, rows } = standalone()
  const { services } = connections.acp
  const pages = new Pages({ services, rows, catalogs: { known: () => undefined } } as unknown as Acp)
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
  const s = { record: { uid: 1, id: "one", agent: "mock" }, log: new Log(1) } as unknown as Session
  const plain = pages.of(s, page, traitsOf({}))
  expect(pages.of(s, page, traitsOf({}))).toBe(plain)
  expect(plain.frames()).toBe(plain.frames())
  expect(new TextDecoder().decode(plain.frames())).toMatch(
    /^id: 41\.0\ndata: .*hello.*\n\nid: 42\.0\ndata: .*request_permission/,
  )
  const form = pages.of(s, page, traitsOf({ elicitation: { form: {} } }))
  expect(form).not.toBe(plain)
  expect(new TextDecoder().decode(form.frames())).toContain("elicitation/create")
})
