import { z } from "zod"
import { MetadataSchema } from "./json.ts"
import { PermissionReplySchema } from "./request.ts"

export const PermissionKindSchema = z.enum(["command", "file_change", "tool", "network", "other"])

/** What exactly is asked for; agents may tell more than these. */
export const PermissionDetailSchema = z.looseObject({
  command: z.string().optional(),
  path: z.string().optional(),
  diff: z.string().optional(),
})

export const PermissionSchema = z.object({
  permission_id: z.string(),
  action: z.string(),
  status: z.enum(["requested", "accept", "accept_for_session", "reject", "cancelled"]),
  kind: PermissionKindSchema,
  detail: PermissionDetailSchema.optional(),
  choices: z.array(PermissionReplySchema),
  item_id: z.string().optional(),
  call_id: z.string().optional(),
  turn_id: z.string().optional(),
  by: z.enum(["client", "rule", "mode"]).optional(),
  reason: z.string().optional(),
  message: z.string().optional().describe("what the client said with its reply"),
  metadata: MetadataSchema.optional(),
})

export const QuestionOptionSchema = z.object({ label: z.string(), description: z.string().optional() })

export const QuestionPartSchema = z.object({
  id: z.string(),
  header: z.string().optional(),
  prompt: z.string(),
  type: z.enum(["choice", "text", "number", "boolean"]),
  options: z.array(QuestionOptionSchema),
  multi_select: z.boolean(),
  allow_other: z.boolean(),
  required: z.boolean().optional(),
  secret: z.boolean().optional(),
  url: z.string().optional(),
})

export const QuestionSchema = z.object({
  question_id: z.string(),
  prompt: z.string(),
  options: z.array(z.string()),
  status: z.enum(["requested", "answered", "rejected", "cancelled"]),
  questions: z.array(QuestionPartSchema),
  item_id: z.string().optional(),
  call_id: z.string().optional(),
  turn_id: z.string().optional(),
  response: z.string().optional(),
  answers: z.array(z.array(z.string())).optional(),
  purpose: z.literal("plan_approval").optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
})
