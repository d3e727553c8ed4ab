import { claudeLimits } from "@sandbox-agent/schema/driver-limits"
import type { OutAttachment, OutMessage } from "../../core/driver.ts"
import type { Confinement } from "../../files/confinement.ts"
import { readIfRegular } from "../../files/regular-file.ts"

type Part =
  | { type: "text"; text: string }
  | { type: "image" | "document"; source: { type: "base64"; media_type: string; data: string }; title?: string }

/** What the model takes as pictures. */
const images = ["image/png", "image/jpeg", "image/gif", "image/webp"]

/**
 * Agent mode `plan` is a request, not a fence (that is permission mode `plan`): said with each message, because it can
 * change between two of them while the system prompt of a conversation is fixed.
 */
const PLAN = `<system-reminder>
The user wants a plan, not changes: look into the matter, then answer with what should be done, step by step, and why. \
Change files or run commands with effects only where this message asks for it in so many words.
</system-reminder>`

export const isOurReminder = (text: string): boolean => text === PLAN

export interface UserMessage {
  type: "user"
  uuid: string
  session_id: ""
  parent_tool_use_id: null
  message: { role: "user"; content: string | Part[] }
}

export async function userMessage(
  uuid: string,
  message: OutMessage,
  planning: boolean,
  reach: Confinement,
): Promise<UserMessage> {
  const command = message.text.startsWith("/")
  const files: Part[] = []
  const named: string[] = []
  for (const attachment of message.attachments) {
    const part = await filePart(attachment, reach)
    if (part !== undefined) files.push(part)
    else if (attachment.path !== undefined) named.push(attachment.path)
  }
  const text = named.length === 0 ? message.text : `${message.text}\n\nAttached files:\n${list(named)}`.trimStart()
  const before: Part[] = [message.brief, planning && !command ? PLAN : undefined].flatMap((text) =>
    text === undefined ? [] : [{ type: "text", text }],
  )
  // A command is looked for in the last block.
  const said: Part[] = text === "" ? [] : [{ type: "text", text }]
  const parts = [...before, ...files, ...said]
  const content = parts.length === said.length ? text : parts
  return { type: "user", uuid, session_id: "", parent_tool_use_id: null, message: { role: "user", content } }
}

const list = (paths: readonly string[]): string => paths.map((path) => `- ${path}`).join("\n")

/** `undefined`: named by its path, for Claude Code's own tools to read. */
async function filePart(
  { bytes, path, mime = "", filename }: OutAttachment,
  reach: Confinement,
): Promise<Part | undefined> {
  const image = images.includes(mime)
  if (!image && mime !== "application/pdf") return undefined
  const data =
    bytes ?? (path === undefined ? undefined : await readIfRegular(path, claudeLimits.attachmentBytes, reach))
  if (data === undefined || data.length > claudeLimits.attachmentBytes) return undefined
  const source = { type: "base64" as const, media_type: mime, data: Buffer.from(data).toString("base64") }
  return image ? { type: "image", source } : { type: "document", source, ...(filename && { title: filename }) }
}
