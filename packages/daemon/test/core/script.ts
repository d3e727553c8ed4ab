import { limits } from "@sandbox-agent/schema/limits"
import fc from "fast-check"

/** One thing an agent, its driver or a client does. Plain data, so that a failure can be read and played again. */
export type Step =
  | {
      sink: string
      key?: string
      text?: string | number
      kind?: string
      part?: string
      call?: string
      with?: string
      old?: true
      bare?: true
    }
  | { client: string; text?: string; steer?: true; id?: string; flag?: true }
  | { tick: number }

/** What the agent's side of each call does, in turn: resolve, reject, or never answer. */
export type Mood = "good" | "bad" | "silent"
export interface Script {
  moods: Mood[]
  steps: Step[]
}

/** Most texts are short; some are as long as a limit, and one more. */
const text = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom("", "a", "ab", "abc", "b", "é🎉") },
  { weight: 2, arbitrary: fc.constantFrom(limits.deltaBytes, limits.deltaBytes + 1, limits.toolOutputBytes + 1) },
  { weight: 1, arbitrary: fc.constantFrom(limits.itemTextBytes - 1, limits.itemTextBytes + 1) },
)
const key = fc.constantFrom("a", "b", "c")
const call = fc.constantFrom("c1", "c2")
const kind = fc.constantFrom("message", "tool_call", "tool_result", "system", "reasoning", "bare", "status")
const part = fc.constantFrom("text", "text", "reasoning", "output", "arguments", "second", "far")
/** Said outside any native line, or by the sink of an opening that is over. */
const manner = { old: rarely(), bare: rarely() }

function rarely() {
  return fc.option(fc.constant(true as const), { freq: 12, nil: undefined })
}

const item = fc.oneof(
  fc.record({ sink: fc.constant("open"), key, kind, call, text, with: fc.option(key, { nil: undefined }), ...manner }),
  fc.record({ sink: fc.constant("delta"), key, part, text, ...manner }),
  fc.record({ sink: fc.constant("delta"), key, part, text, ...manner }),
  fc.record({ sink: fc.constant("snapshot"), key, part, text, ...manner }),
  fc.record({
    sink: fc.constant("close"),
    key,
    kind,
    call,
    text,
    with: fc.constantFrom("nothing", "content", "failed"),
    ...manner,
  }),
  fc.record({ sink: fc.constant("retry"), with: fc.option(fc.constant("group"), { nil: undefined }), ...manner }),
)
const flow = fc.oneof(
  fc.record({ sink: fc.constant("taken"), with: fc.constantFrom("sent", "sent", "sent", "unknown"), ...manner }),
  fc.record({ sink: fc.constant("taken"), with: fc.constant("sent"), ...manner }),
  fc.record({ sink: fc.constant("returned"), with: fc.constantFrom("sent", "unknown"), ...manner }),
  fc.record({ sink: fc.constant("turnStarted"), with: fc.constantFrom("message", "agent", "command"), ...manner }),
  fc.record({
    sink: fc.constant("turnEnded"),
    with: fc.constantFrom("end_turn", "cancelled", "error", "refusal"),
    ...manner,
  }),
  fc.record({
    sink: fc.constant("ask"),
    key,
    call: fc.option(call, { nil: undefined }),
    kind: fc.constantFrom("command", "question", "background"),
    ...manner,
  }),
  fc.record({ sink: fc.constant("unask"), key, ...manner }),
)
const note = fc.record({
  sink: fc.constantFrom(
    "plan",
    "usage",
    "session",
    "status",
    "error",
    "background",
    "unknown",
    "silence",
    "throw",
    "sent",
  ),
  text,
  ...manner,
})
const loss = fc.record({ sink: fc.constantFrom("gone", "gone", "ended"), ...manner })
const client = fc.oneof(
  fc.record({
    client: fc.constant("post"),
    text: fc.constantFrom("hi", ""),
    steer: fc.option(fc.constant(true as const), { nil: undefined }),
  }),
  fc.record({ client: fc.constant("post"), text: fc.constant("hi") }),
  fc.record({ client: fc.constant("postAgain"), id: fc.constantFrom("m1", "m2") }),
  fc.record({ client: fc.constant("withdraw") }),
  fc.record({ client: fc.constant("cancel"), flag: fc.option(fc.constant(true as const), { nil: undefined }) }),
  fc.record({ client: fc.constantFrom("once", "always", "reject", "answer", "rejectQuestion") }),
  fc.record({ client: fc.constant("patch"), id: fc.constantFrom("title", "bypass", "plan", "default", "model") }),
)
const rare = fc.record({ client: fc.constantFrom("terminate", "resume", "delete", "tidy") })

const step = fc.oneof(
  { weight: 30, arbitrary: item },
  { weight: 22, arbitrary: flow },
  { weight: 8, arbitrary: note },
  { weight: 3, arbitrary: loss },
  { weight: 20, arbitrary: client },
  { weight: 3, arbitrary: rare },
  { weight: 18, arbitrary: fc.record({ tick: fc.constantFrom(1, 1, 3, 30) }) },
) as fc.Arbitrary<Step>

const mood = fc.constantFrom<Mood>("good", "good", "good", "good", "bad", "silent")

export const script: fc.Arbitrary<Script> = fc.record({
  moods: fc.array(mood, { maxLength: 8 }),
  steps: fc.array(step, { maxLength: 45, size: "max" }),
})

/** One step a line, as it was played. */
export function describeScript({ moods, steps }: Script): string {
  const lines = steps.map((s, i) => {
    const words = Object.entries(s).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${JSON.stringify(value)}`],
    )
    return `  ${String(i).padStart(2)}. ${words.join(" ")}`
  })
  return `moods: ${moods.join(", ") || "good"}\n${lines.join("\n")}`
}
