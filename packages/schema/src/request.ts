import { z } from "zod"
import type { PermissionKindSchema, PermissionSchema, QuestionPartSchema, QuestionSchema } from "./request-view.ts"

export const PermissionReplySchema = z.enum(["once", "always", "reject"])
export type PermissionReply = z.infer<typeof PermissionReplySchema>
export type PermissionKind = z.infer<typeof PermissionKindSchema>
export type Permission = z.infer<typeof PermissionSchema>
export type QuestionPart = z.infer<typeof QuestionPartSchema>
export type Question = z.infer<typeof QuestionSchema>
