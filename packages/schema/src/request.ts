import { z } from "zod"
import { limits } from "./limits.ts"
import type { PermissionKindSchema, PermissionSchema, QuestionPartSchema, QuestionSchema } from "./request-view.ts"

export const PermissionReplySchema = z.enum(["once", "always", "reject"])
export type PermissionReply = z.infer<typeof PermissionReplySchema>
export type PermissionKind = z.infer<typeof PermissionKindSchema>
export type Permission = z.infer<typeof PermissionSchema>
export type QuestionPart = z.infer<typeof QuestionPartSchema>
export type Question = z.infer<typeof QuestionSchema>

/** Words that go with an answer. */
const words = z.string().max(limits.eventBytes / 4)

export const ReplyPermissionSchema = z.strictObject({
  reply: PermissionReplySchema.describe("`always` holds for the rest of the session"),
  message: words.optional().describe("goes back to the agent, where it can be told"),
})
export const ReplyQuestionSchema = z.strictObject({
  answers: z.array(z.array(words).max(100)).max(100).describe("one array per question, of chosen labels or free text"),
})
export const RejectQuestionSchema = z.strictObject({
  message: words.optional().describe("goes back to the agent, where it can be told"),
})
