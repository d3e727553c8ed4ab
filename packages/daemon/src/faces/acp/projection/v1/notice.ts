import type { EventData } from "@sandbox-agent/schema/event"
import type { Item } from "@sandbox-agent/schema/item"
import { type Envelope, ours } from "../envelope.ts"
import { note, type Scope, update } from "./scope.ts"

/** Something failed that is not the end of a turn. */
export function errorNotice({ message, code, details }: EventData<"error">, scope: Scope): Envelope {
  const error = { message, code, details }
  if (!scope.traits.notices || message === "") return note(scope, { error })
  return update(scope, { sessionUpdate: "notice", severity: "error", title: message, ...ours({ error }) })
}

/** What the agent's own machinery tells the user. */
export function systemNotice(item: Item, scope: Scope): Envelope {
  const { item_id: itemId, kind, status, parent_id: parentId, content } = item
  const words = content.flatMap((part) => {
    if (part.type === "text") return [part.text]
    return part.type === "status" ? [part.label, part.detail ?? ""] : []
  })
  const [title, ...rest] = words.join("\n").trim().split("\n")
  if (!scope.traits.notices || !title) return note(scope, { item: { itemId, kind, status, parentId, content } })
  const description = rest.join("\n").trim() || undefined
  const meta = ours({ item: { itemId, kind, status, parentId } })
  return update(scope, { sessionUpdate: "notice", severity: "info", title, description, ...meta })
}
