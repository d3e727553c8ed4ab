import { fileURLToPath } from "node:url"
import { fitsBytes } from "@sandbox-agent/schema/byte-length"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { limits } from "@sandbox-agent/schema/limits"
import { contextOf, mentionOf, nameOf } from "@sandbox-agent/schema/mention"
import { type Attachment, MimeSchema } from "@sandbox-agent/schema/message"
import type { PassthroughBlock } from "@sandbox-agent/schema/passthrough-prompt"
import { z } from "zod"
import { isRecord } from "./envelope.ts"
import { checked, invalid } from "./invalid.ts"

const mimeType = MimeSchema.nullish()
const base64 = z.base64()
const resource = z.union([
  z.object({ uri: z.string(), text: z.string(), mimeType }),
  z.object({ uri: z.string(), blob: base64, mimeType }),
])
const BlockSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  z.object({ type: z.literal("image"), data: base64, mimeType: MimeSchema, uri: z.string().nullish() }),
  z.object({ type: z.literal("audio"), data: base64, mimeType: MimeSchema }),
  z.object({ type: z.literal("resource_link"), uri: z.string(), name: z.string(), mimeType }),
  z.object({ type: z.literal("resource"), resource }),
])
type Block = z.infer<typeof BlockSchema>

export interface PromptMessage {
  message: string
  attachments: Attachment[]
}

/**
 * A prompt as a message. Words and links keep their order; the text of embedded resources follows, as agents are used
 * to get it; pictures, sounds and other bytes become attachments.
 */
export const messageOf = (prompt: unknown): PromptMessage => readPrompt(prompt).message

/** The same, with the blocks as they were and where the bytes of each went. */
export function readPrompt(prompt: unknown): { message: PromptMessage; blocks: PassthroughBlock[] } {
  if (!Array.isArray(prompt)) return invalid("prompt: an array of content blocks is expected")
  const said: string[] = []
  const context: string[] = []
  const attachments: Attachment[] = []
  const blocks: PassthroughBlock[] = []
  prompt.forEach((given, index) => {
    const where = `prompt[${index}]`
    const block = isText(given) ? given : checked(BlockSchema, given, where)
    if (block.type === "text") said.push(block.text)
    else if (block.type === "resource_link") linkOf(block, said, attachments)
    else if (block.type === "resource" && "text" in block.resource) {
      said.push(mentionOf(nameOf(block.resource.uri), block.resource.uri))
      context.push(contextOf(block.resource.uri, block.resource.text))
    } else {
      blocks.push({ block: withoutBytes(given), attachment: attachments.length })
      attachments.push(attachmentOf(block, where))
      return
    }
    blocks.push({ block: given })
  })
  const message = [joined(said), ...context].filter((text) => text !== "").join("\n")
  checkSize(message, attachments)
  return { message: { message, attachments }, blocks }
}

/** What nearly every prompt is made of: looked at by hand, because it is on the way of every message. */
const isText = (block: unknown): block is Extract<Block, { type: "text" }> =>
  isRecord(block) && block.type === "text" && typeof block.text === "string"

/** Editors cut one sentence into blocks around what it mentions; other blocks stand on lines of their own. */
const joined = (texts: readonly string[]): string =>
  texts.reduce((all, next) => (all === "" || /\s$/.test(all) || /^\s/.test(next) ? all + next : `${all}\n${next}`), "")

/** A link is a mention: the agent opens it with its own tools. A picture on this machine is also shown to the model. */
function linkOf(block: Extract<Block, { type: "resource_link" }>, said: string[], attachments: Attachment[]): void {
  said.push(mentionOf(block.name, block.uri))
  const path = block.mimeType?.startsWith("image/") ? pathOf(block.uri) : undefined
  if (path !== undefined) attachments.push({ path, mime: block.mimeType ?? undefined })
}

type Bytes = Exclude<Block, { type: "text" | "resource_link" }>

/** The field keeps its place. */
const withoutBytes = (block: Record<string, unknown>): Record<string, unknown> =>
  block.type === "resource"
    ? { ...block, resource: { ...(block.resource as object), blob: "" } }
    : { ...block, data: "" }

function attachmentOf(block: Bytes, where: string): Attachment {
  const { data, mime, uri } = bytesOf(block)
  // A picture without bytes is one that the client only points at.
  if (data === "") return pointedAt(uri, mime, where)
  if (data.length > (limits.attachmentBytes / 3) * 4 + 4) return tooLarge(where, limits.attachmentBytes)
  const filename = uri === undefined ? undefined : nameOf(uri).slice(-255)
  return { data, mime, ...(filename && { filename }) }
}

function bytesOf(block: Bytes): { data: string; mime?: string; uri?: string } {
  if (block.type === "resource") {
    const { uri, mimeType: mime } = block.resource
    return { data: "blob" in block.resource ? block.resource.blob : "", mime: mime ?? undefined, uri }
  }
  return { data: block.data, mime: block.mimeType, uri: ("uri" in block && block.uri) || undefined }
}

function pointedAt(uri: string | undefined, mime: string | undefined, where: string): Attachment {
  const path = uri === undefined ? undefined : pathOf(uri)
  if (path !== undefined) return { path, mime }
  if (uri !== undefined && /^https?:/i.test(uri)) return { url: uri, mime }
  return invalid(`${where}: neither bytes nor an address of them`)
}

function pathOf(uri: string): string | undefined {
  if (!/^file:/i.test(uri) || !URL.canParse(uri)) return undefined
  try {
    return fileURLToPath(uri)
  } catch {
    return undefined // on another host, or not a path: then it is a mention and nothing more
  }
}

function checkSize(message: string, attachments: readonly Attachment[]): void {
  if (message.trim() === "" && attachments.length === 0) invalid("prompt: there is nothing in it")
  if (!fitsBytes(message, limits.messageTextBytes)) tooLarge("prompt", limits.messageTextBytes)
  if (attachments.length > limits.messageAttachments)
    throw new SandboxAgentError("payload_too_large", `prompt: more than ${limits.messageAttachments} attachments`, {
      limit: limits.messageAttachments,
    })
}

function tooLarge(where: string, limit: number): never {
  throw new SandboxAgentError("payload_too_large", `${where}: larger than ${limit} bytes`, { limit })
}
