import type { OutMessage } from "../../core/driver.ts"
import type { SessionPatch } from "../../core/driver-sink.ts"
import type { ReviewTarget } from "./native.gen.ts"

/** What Codex does by a request of its own and not by asking its model. */
export const commands: NonNullable<SessionPatch["commands"]> = [
  { name: "compact", description: "Replace the conversation so far by a summary of it" },
  { name: "review", description: "Review the changes that are not committed", hint: "[what to review]" },
]

export type Slash =
  | { method: "thread/compact/start"; params: object }
  | { method: "review/start"; params: { target: ReviewTarget } }

/** `undefined`: a message like any other. */
export function slashOf({ text, attachments }: OutMessage): Slash | undefined {
  if (attachments.length > 0) return undefined
  const [, name, rest = ""] = /^\/(compact|review)(?:\s+([\s\S]*))?$/.exec(text.trim()) ?? []
  if (name === "compact") return { method: "thread/compact/start", params: {} }
  if (name !== "review") return undefined
  const custom: ReviewTarget = { type: "custom", instructions: rest }
  return { method: "review/start", params: { target: rest === "" ? { type: "uncommittedChanges" } : custom } }
}
