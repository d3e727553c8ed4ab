import { createContext, use } from "react"
import type { Item, TranscriptState } from "sandbox-agent"

/** Items and calls that a person has to answer for before they go on, by their ids. */
export const WaitingCalls = createContext<ReadonlySet<string>>(new Set())

export const waitingCallsOf = ({ permissions, questions }: Pick<TranscriptState, "permissions" | "questions">) =>
  new Set([...permissions, ...questions].flatMap(({ item_id, call_id }) => [item_id ?? [], call_id ?? []].flat()))

/** Whether one of these items, such as a call and what was called inside it, waits for a person. */
export function useWaits(items: readonly Item[]): boolean {
  const waiting = use(WaitingCalls)
  if (waiting.size === 0) return false
  return items.some(
    ({ item_id, content }) =>
      waiting.has(item_id) || content.some((part) => part.type === "tool_call" && waiting.has(part.call_id)),
  )
}
