import { z } from "zod"

const text = z.object({ type: z.literal("text"), text: z.string() })
const json = z.object({ type: z.literal("json"), json: z.unknown() })
const toolCall = z.object({
  type: z.literal("tool_call"),
  name: z.string(),
  arguments: z.string().describe("JSON text"),
  call_id: z.string(),
  title: z.string().optional(),
  kind: z.string().optional(),
})
const toolResult = z.object({
  type: z.literal("tool_result"),
  call_id: z.string(),
  output: z.string(),
  is_error: z.boolean().optional(),
  detached: z.boolean().optional(),
  truncated: z.boolean().optional(),
})
const fileRef = z.object({
  type: z.literal("file_ref"),
  path: z.string(),
  action: z.enum(["read", "write", "patch"]),
  diff: z.string().optional(),
  blob: z.string().optional().describe("hash; the bytes are at …/blobs/{hash}"),
  mime: z.string().optional(),
})
const image = z.object({
  type: z.literal("image"),
  path: z.string().optional(),
  blob: z.string().optional().describe("hash; the bytes are at …/blobs/{hash}"),
  mime: z.string().optional(),
})
const reasoning = z.object({
  type: z.literal("reasoning"),
  text: z.string(),
  visibility: z.enum(["public", "private"]),
})
const status = z.object({ type: z.literal("status"), label: z.string(), detail: z.string().optional() })

export const ContentPartSchema = z.discriminatedUnion("type", [
  text,
  json,
  toolCall,
  toolResult,
  fileRef,
  image,
  reasoning,
  status,
])
export type ContentPart = z.infer<typeof ContentPartSchema>

export const ItemKindSchema = z.enum(["message", "tool_call", "tool_result", "system", "status", "unknown"])
export type ItemKind = z.infer<typeof ItemKindSchema>
export const ItemRoleSchema = z.enum(["user", "assistant", "system", "tool"])
export type ItemRole = z.infer<typeof ItemRoleSchema>

/** One native block: a text, a reasoning block, a tool call, a tool result, a status note. */
export const ItemSchema = z.object({
  item_id: z.string(),
  native_item_id: z.string().optional(),
  parent_id: z.string().optional(),
  turn_id: z.string().optional(),
  message_id: z.string().optional(),
  group: z.string().optional().describe("the native message this block came from"),
  kind: ItemKindSchema,
  role: ItemRoleSchema.optional(),
  status: z.enum(["in_progress", "completed", "failed"]),
  late: z.boolean().optional().describe("came after its turn had ended"),
  metadata: z.record(z.string(), z.unknown()).optional(),
  content: z.array(ContentPartSchema),
})
export type Item = z.infer<typeof ItemSchema>

export const DeltaPartSchema = z.object({
  index: z.number().int(),
  type: z.enum(["text", "reasoning", "arguments", "output"]),
})
export type DeltaPart = z.infer<typeof DeltaPartSchema>
