import { z } from "zod"
import { JsonValueSchema, MetadataSchema } from "./json.ts"

export const TextPartSchema = z.object({ type: z.literal("text"), text: z.string() })
export const JsonPartSchema = z.object({ type: z.literal("json"), json: JsonValueSchema })
export const ToolCallPartSchema = z.object({
  type: z.literal("tool_call"),
  name: z.string(),
  arguments: z.string().describe("JSON text"),
  call_id: z.string(),
  title: z.string().optional(),
  kind: z.string().optional(),
})
export const ToolResultPartSchema = z.object({
  type: z.literal("tool_result"),
  call_id: z.string(),
  output: z.string(),
  is_error: z.boolean().optional(),
  detached: z.boolean().optional(),
  truncated: z.boolean().optional(),
})
export const FileRefPartSchema = z.object({
  type: z.literal("file_ref"),
  path: z.string(),
  action: z.enum(["read", "write", "patch"]),
  diff: z.string().optional(),
  blob: z.string().optional().describe("hash; the bytes are at …/blobs/{hash}"),
  mime: z.string().optional(),
})
export const ImagePartSchema = z.object({
  type: z.literal("image"),
  path: z.string().optional(),
  blob: z.string().optional().describe("hash; the bytes are at …/blobs/{hash}"),
  mime: z.string().optional(),
})
export const ReasoningPartSchema = z.object({
  type: z.literal("reasoning"),
  text: z.string(),
  visibility: z.enum(["public", "private"]),
})
export const StatusPartSchema = z.object({
  type: z.literal("status"),
  label: z.string(),
  detail: z.string().optional(),
})

export const ContentPartSchema = z.discriminatedUnion("type", [
  TextPartSchema,
  JsonPartSchema,
  ToolCallPartSchema,
  ToolResultPartSchema,
  FileRefPartSchema,
  ImagePartSchema,
  ReasoningPartSchema,
  StatusPartSchema,
])
export type ContentPart = z.infer<typeof ContentPartSchema>

export const ItemKindSchema = z.enum(["message", "tool_call", "tool_result", "system", "status", "unknown"])
export type ItemKind = z.infer<typeof ItemKindSchema>
export const ItemRoleSchema = z.enum(["user", "assistant", "system", "tool"])
export type ItemRole = z.infer<typeof ItemRoleSchema>

export const ItemStatusSchema = z.enum(["in_progress", "completed", "failed"])

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
  status: ItemStatusSchema,
  late: z.boolean().optional().describe("came after its turn had ended"),
  metadata: MetadataSchema.optional(),
  content: z.array(ContentPartSchema),
})
export type Item = z.infer<typeof ItemSchema>

export const DeltaPartSchema = z.object({
  index: z.number().int(),
  type: z.enum(["text", "reasoning", "arguments", "output"]),
})
export type DeltaPart = z.infer<typeof DeltaPartSchema>
