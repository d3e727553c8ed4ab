import type { ContentPart } from "@sandbox-agent/schema/item"
import { expect } from "vitest"
import type { ItemEnd, NewItem } from "../../../src/core/driver-sink.ts"
import type { Call } from "./recorder.ts"

export interface SeenItem extends NewItem {
  deltas: string[]
  end?: ItemEnd
}

/** Folds calls into items in the order they were opened, and fails on a life an item must not have. */
export function foldItems(calls: readonly Call[]): SeenItem[] {
  const items = new Map<string, SeenItem>()
  for (const call of calls) {
    if (call.name === "open") {
      expect(items.has(call.args[0].key), `item ${call.args[0].key} opened twice`).toBe(false)
      items.set(call.args[0].key, { ...call.args[0], deltas: [] })
    } else if (call.name === "delta" || call.name === "close") {
      const item = items.get(call.args[0])
      if (!item) throw new Error(`${call.name} of item ${call.args[0]} that is not open`)
      expect(item.end, `${call.name} after the end of ${item.key}`).toBeUndefined()
      if (call.name === "delta") item.deltas.push(call.args[2])
      else item.end = call.args[1]
    }
  }
  return [...items.values()]
}

/** What the invariants of the event stream ask of every driver. */
export function checkItems(items: readonly SeenItem[]): void {
  const parts = (type: ContentPart["type"]) =>
    items.flatMap((item) => (item.end?.content ?? item.content ?? []).filter((part) => part.type === type))
  for (const item of items) {
    expect(item.end, `item ${item.key} was left open`).toBeDefined()
    const whole = textOf(item)
    if (item.deltas.length > 0 && item.kind === "message" && item.end?.content) {
      expect(item.deltas.join("")).toBe(whole)
    }
  }
  const results = parts("tool_result").map((part) => part.type === "tool_result" && part.call_id)
  for (const part of parts("tool_call")) {
    if (part.type === "tool_call") expect(results, `call ${part.name} has a result`).toContain(part.call_id)
  }
}

/** The text of an item: its final content, else its deltas. */
export function textOf(item: SeenItem | undefined): string | undefined {
  const part = item?.end?.content?.[0]
  if (part?.type === "text" || part?.type === "reasoning") return part.text
  if (part?.type === "tool_result") return part.output
  if (part?.type === "tool_call") return part.arguments
  return item?.deltas.join("")
}

/** The texts the agent said, in order. */
export const textsOf = (items: readonly SeenItem[]): (string | undefined)[] =>
  items.filter((item) => item.kind === "message" && item.content?.[0]?.type === "text").map(textOf)
