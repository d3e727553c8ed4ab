import type { Item, Permission, Question, Session, TranscriptState, TranscriptTurn } from "sandbox-agent"
import { callPart, mainArgument, resultPart } from "../transcript/tool-words.ts"
import { within } from "../ui/path.tsx"

export interface Bar {
  id: string
  kind: "model" | "tool" | "waits"
  label: string
  from: number
  to: number
}

export interface TurnTimes {
  from: number
  to: number
  bars: Bar[]
  /** Milliseconds of each kind; what overlaps is counted once, a person's time before a tool's before the model's. */
  sums: Record<Bar["kind"], number>
}

export function timesOf(
  session: Session,
  state: TranscriptState,
  turn: TranscriptTurn,
  asked: readonly (Permission | Question)[],
  now: number,
): TurnTimes | undefined {
  const own = session.transcript.spanOf(turn.turn_id)
  if (own?.startedAt === undefined) return undefined
  const from = Date.parse(own.startedAt)
  const to = own.endedAt === undefined ? Math.max(now, from) : Date.parse(own.endedAt)
  const ms = (time: string | undefined, otherwise: number) => (time === undefined ? otherwise : Date.parse(time))
  const bars: Bar[] = []
  const items = state.items.filter((item) => item.turn_id === turn.turn_id && item.role !== "user")
  const results = new Map(
    items.flatMap((item) => (resultPart(item) ? [[resultPart(item)?.call_id, item]] : [])) as [string, Item][],
  )
  for (const item of items) {
    const span = session.transcript.spanOf(item.item_id)
    if (span?.startedAt === undefined || item.kind === "tool_result") continue
    const call = callPart(item)
    const end = call === undefined ? span : session.transcript.spanOf(results.get(call.call_id)?.item_id ?? "")
    const isTool = item.kind === "tool_call"
    if (!isTool && item.kind !== "message") continue
    bars.push({
      id: item.item_id,
      kind: isTool ? "tool" : "model",
      label: call
        ? `${call.name} ${within(mainArgument(call), state.session?.directory)}`
        : item.content[0]?.type === "reasoning"
          ? "Thinking"
          : "Answer",
      from: ms(span.startedAt, from),
      to: ms(end?.endedAt, to),
    })
  }
  for (const request of asked) {
    if (request.turn_id !== turn.turn_id) continue
    const id = "permission_id" in request ? request.permission_id : request.question_id
    const span = session.transcript.spanOf(id)
    if (span?.startedAt === undefined) continue
    const label = "permission_id" in request ? request.action : request.prompt
    bars.push({
      id,
      kind: "waits",
      label: `Waited for a person: ${label}`,
      from: ms(span.startedAt, from),
      to: ms(span.endedAt, to),
    })
  }
  bars.sort((a, b) => a.from - b.from)
  return { from, to, bars, sums: sumsOf(bars, from, to) }
}

/** Whatever is no tool and no waiting was the model's. */
function sumsOf(bars: readonly Bar[], from: number, to: number): TurnTimes["sums"] {
  const edges = [...new Set([from, to, ...bars.flatMap((bar) => [bar.from, bar.to])])]
    .filter((at) => at >= from && at <= to)
    .sort((a, b) => a - b)
  const sums = { model: 0, tool: 0, waits: 0 }
  for (let i = 1; i < edges.length; i++) {
    const [a, b] = [edges[i - 1] as number, edges[i] as number]
    const over = bars.filter((bar) => bar.from <= a && bar.to >= b)
    const kind = over.some((bar) => bar.kind === "waits")
      ? "waits"
      : over.some((bar) => bar.kind === "tool")
        ? "tool"
        : "model"
    sums[kind] += b - a
  }
  return sums
}
