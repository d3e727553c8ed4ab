import { expect, test } from "vitest"
import { diff } from "../../../../scripts/schemas/diff.ts"
import { diffText } from "../../../../scripts/schemas/diff-text.ts"
import type { Schema } from "../../../../scripts/schemas/document.ts"
import { small } from "./small.ts"

const ref = (name: string): Schema => ({ $ref: `#/$defs/${name}` })
const object = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: "object",
  properties,
  required,
})
const text: Schema = { type: "string" }

const before = small(
  {
    Start: object({ model: text }),
    Started: object({ id: text }, ["id"]),
    Note: object({ n: text }),
    Lost: text,
    Other: object({ x: text }),
  },
  {
    clientRequests: { start: { params: ref("Start"), result: ref("Started") }, stop: { params: text } },
    serverNotifications: { note: { params: ref("Note") } },
  },
  "1.0.0",
)
const after = small(
  {
    Start: object({ model: text }, ["model"]),
    Started: object({ id: text }),
    Note: object({ n: text, m: text }),
    Other: object({}),
    Fresh: text,
  },
  {
    clientRequests: { start: { params: ref("Start"), result: ref("Started") }, go: {} },
    serverNotifications: { note: { params: ref("Note") } },
  },
  "1.1.0",
)
const roots = { methods: { clientRequests: ["start", "stop"] }, types: ["Note"] }

test("breaking first, and of that what the driver uses first", () => {
  expect(diffText(before, after, diff(before, after, roots))).toBe(`small 1.0.0 → 1.1.0: 5 breaking, 0 changed, 3 added

Breaking, used by the driver (3)
  clientRequests stop: removed
  Start
    .model: now required
  Started
    .id: no longer required

Breaking (2)
  Lost: removed
  Other
    .x: removed (was string)

Added, used by the driver (1)
  Note
    .m: added (string)

Added (2)
  clientRequests go: added
  Fresh: added
`)
})

test("the other way round other things break", () => {
  const changes = diff(after, before, roots)
  const reported = changes.map(({ of, path, what, level }) => `${level}: ${of}${path} ${what}`)
  // What we send may leave the model out again; what the agent answers has an id for certain again.
  expect(reported).toContain("changed: Start.model no longer required")
  expect(reported).toContain("changed: Started.id now required")
  expect(reported).toContain("breaking: clientRequests go removed")
})

test("what a method takes is compared where it has no name", () => {
  const one = small({}, { requests: { "POST /x": { params: object({ a: text }), body: text } } }, "1")
  const two = small({}, { requests: { "POST /x": { params: object({ a: text, b: text }, ["b"]), result: text } } }, "2")
  expect(diffText(one, two, diff(one, two))).toBe(`small 1 → 2: 2 breaking, 0 changed, 1 added

Breaking (2)
  requests POST /x
    params.b: added, required (string)
    body: removed

Added (1)
  requests POST /x
    result: added
`)
})

test("two of the same", () => {
  expect(diffText(before, before, diff(before, before, roots))).toBe("small 1.0.0 → 1.0.0: no change\n")
})
