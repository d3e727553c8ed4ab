import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { StopReason } from "@sandbox-agent/schema/event"
import type { ContentPart, DeltaPart, ItemKind } from "@sandbox-agent/schema/item"
import { cancelTurn } from "../../src/core/cancel.ts"
import { resumeSession } from "../../src/core/creation.ts"
import type { LineOutcome, Sink } from "../../src/core/driver-sink.ts"
import { terminateSession } from "../../src/core/ending.ts"
import { withdrawMessage } from "../../src/core/messages.ts"
import { post } from "../../src/core/post.ts"
import { rejectQuestion, replyPermission, replyQuestion } from "../../src/core/replies.ts"
import { patchSession } from "../../src/core/settings.ts"
import type { Behaviour } from "./puppet.ts"
import type { Mood, Step } from "./script.ts"
import type { Stage } from "./stage.ts"

type SinkStep = Extract<Step, { sink: string }>
type ClientStep = Extract<Step, { client: string }>

/** A driver of changing mood: each call takes the next one. */
export function failingDriver(moods: readonly Mood[]): Behaviour {
  let calls = 0
  const next = async <T>(good: T): Promise<T> => {
    const mood = moods.length === 0 ? "good" : moods[calls++ % moods.length]
    if (mood === "bad") throw new SandboxAgentError("agent_process_exited", "a bad mood")
    if (mood === "silent") await new Promise(() => {})
    return good
  }
  return {
    open: () => next(undefined),
    send: () => next(undefined),
    steer: () => next(calls % 3 !== 0),
    interrupt: () => next(undefined),
    answer: () => next(undefined),
    configure: () => next((["now", "next_turn", "reopen"] as const)[calls % 3] ?? "now"),
    close: () => next(undefined),
  }
}

const texts = (value: string | number | undefined): string =>
  typeof value === "number" ? "x".repeat(value) : (value ?? "")

const parts: Record<string, DeltaPart> = {
  text: { index: 0, type: "text" },
  reasoning: { index: 0, type: "reasoning" },
  output: { index: 0, type: "output" },
  arguments: { index: 0, type: "arguments" },
  second: { index: 1, type: "text" },
  far: { index: 4, type: "text" },
}

function contentOf(step: SinkStep): ContentPart[] | undefined {
  const text = texts(step.text)
  const callId = step.call ?? "c1"
  switch (step.kind) {
    case "bare":
      return undefined
    case "tool_call":
      return [{ type: "tool_call", name: "Tool", arguments: text, call_id: callId }]
    case "tool_result":
      return [{ type: "tool_result", call_id: callId, output: text }]
    case "reasoning":
      return [{ type: "reasoning", text, visibility: "private" }]
    case "status":
      return [{ type: "status", label: "puppet.note" }]
    default:
      return text === "" ? [] : [{ type: "text", text }]
  }
}

const kindOf = (kind: string | undefined): ItemKind =>
  kind === "reasoning" || kind === "bare" ? "message" : ((kind ?? "message") as ItemKind)

function say(sink: Sink, step: SinkStep, sent: string): LineOutcome {
  const key = step.key ?? "a"
  const id = step.with === "unknown" ? "msg_unknown" : sent
  switch (step.sink) {
    case "open":
      return sink.open({ key, kind: kindOf(step.kind), parent: step.with, group: "group", content: contentOf(step) })
    case "delta":
      return sink.delta(key, parts[step.part ?? "text"] as DeltaPart, texts(step.text))
    case "snapshot":
      return sink.snapshot(key, parts[step.part ?? "text"] as DeltaPart, texts(step.text))
    case "close": {
      const status = step.with === "failed" ? "failed" : "completed"
      return sink.close(key, { status, content: step.with === "nothing" ? undefined : contentOf(step) })
    }
    case "retry":
      return sink.retry(step.with)
    case "taken":
      return sink.taken(id)
    case "returned":
      return sink.returned(id)
    case "turnStarted":
      return sink.turnStarted({ origin: step.with as "agent" })
    case "turnEnded": {
      const stop = step.with as StopReason
      return sink.turnEnded({ stop, ...(stop === "error" && { error: { code: "boom", message: "boom" } }) })
    }
    case "ask":
      return ask(sink, key, step)
    case "unask":
      return sink.unask(key)
    case "plan":
      return sink.plan([{ content: "one", status: "pending" }])
    case "usage":
      return sink.usage({ input_tokens: 1, output_tokens: 2, cost_usd: 0.5, context_used: 10 })
    case "session":
      return sink.session({ title: texts(step.text), permissionMode: "acceptEdits", nativeSessionId: "another" })
    case "status":
      return sink.status("note", texts(step.text))
    case "error":
      return sink.error({ message: texts(step.text) })
    case "background":
      return sink.background(texts(step.text).length % 3)
    case "unknown":
      return "unknown"
    case "throw":
      throw new Error("not the protocol")
    case "sent":
      return sink.sent("to the agent")
    case "gone":
      return sink.gone({ code: 1 })
    case "ended":
      return sink.ended()
  }
}

function ask(sink: Sink, key: string, { kind, call }: SinkStep): void {
  if (kind === "question") {
    const question = {
      id: "q",
      prompt: "Which?",
      type: "text" as const,
      options: [],
      multi_select: false,
      allow_other: true,
    }
    return sink.ask({ key, call, type: "question", questions: [question] })
  }
  sink.ask({
    key,
    call,
    background: kind === "background" || undefined,
    type: "permission",
    kind: "command",
    action: "Run",
    covers: ["rule"],
    always: ["rule"],
  })
}

/** Plays an agent's step on the core's own sink. What escapes from it is a violation. */
export function playSink(stage: Stage, step: SinkStep, bad: string[]): void {
  const { openings } = stage.puppet
  const opening = step.old ? openings[0] : openings.at(-1)
  if (opening === undefined) return
  const sent = stage.session.sending?.id ?? "msg_none"
  try {
    if (step.bare && step.sink !== "throw") say(opening.sink, step, sent)
    else opening.sink.line(`{"step":"${step.sink}"}`, () => say(opening.sink, step, sent))
  } catch (error) {
    bad.push(`sink.${step.sink} threw ${error}`)
  }
}

/** Plays a client's command as a face would: the session is looked up each time. */
export async function playClient(stage: Stage, step: ClientStep): Promise<unknown> {
  const { sessions } = stage.core
  const s = sessions.get("one")
  const request = (type: string) => [...s.requests.values()].find(({ native }) => native.type === type)?.id ?? "none"
  switch (step.client) {
    case "post":
      return post(s, { message: step.text ?? "", delivery: step.steer ? "steer" : "queue" })
    case "postAgain":
      return post(s, { message: "again", messageId: step.id })
    case "withdraw":
      return withdrawMessage(s, s.queue[0]?.id ?? "none")
    case "cancel":
      return cancelTurn(s, { queue: step.flag, background: step.flag })
    case "once":
    case "always":
    case "reject":
      return replyPermission(s, request("permission"), step.client)
    case "answer":
      return replyQuestion(s, request("question"), [["yes"]])
    case "rejectQuestion":
      return rejectQuestion(s, request("question"), "no")
    case "patch":
      if (step.id === "title") return patchSession(s, { title: "Title" })
      return patchSession(s, step.id === "model" ? { model: "big" } : { permissionMode: step.id as "plan" })
    case "terminate":
      return terminateSession(s)
    case "resume":
      return resumeSession(s)
    case "delete":
      return sessions.delete(s)
    case "tidy":
      return stage.core.tidy()
    default:
      throw new Error(`unknown step ${step.client}`)
  }
}
