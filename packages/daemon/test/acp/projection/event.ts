import type { EventData, EventOf, EventType } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"

/** An event of session `one`. */
export const event = <T extends EventType>(type: T, data: EventData<T>, more: object = {}): EventOf<T> =>
  ({
    event_id: "evt_1_1",
    sequence: 1,
    time: "2026-01-01T00:00:00.000Z",
    session_id: "one",
    source: "agent",
    synthetic: false,
    type,
    data,
    ...more,
  }) as EventOf<T>

export const item = (more: Partial<Item>): Item => ({
  item_id: "item_1",
  kind: "message",
  role: "assistant",
  status: "completed",
  content: [],
  ...more,
})
