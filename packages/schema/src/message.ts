import { z } from "zod"
import { fitsBytes } from "./byte-length.ts"
import { limits } from "./limits.ts"
import { mimeLength, mimePattern } from "./mime.ts"
import { processText } from "./process-text.ts"

export const MessageIdSchema = z
  .string()
  .regex(/^(?!\.{1,2}$)[A-Za-z0-9._:-]{1,128}$/, '1 to 128 of [A-Za-z0-9._:-], and not "." or ".."')

export const MessageStateSchema = z.enum(["queued", "sending", "taken", "withdrawn", "failed"])
export type MessageState = z.infer<typeof MessageStateSchema>

export const DeliverySchema = z.enum(["queue", "steer"])
export type Delivery = z.infer<typeof DeliverySchema>

export const MimeSchema = z.string().max(mimeLength).regex(mimePattern, "not a media type")

export const AttachmentSchema = z
  .strictObject({
    path: processText
      .min(1)
      .max(4096)
      .optional()
      .describe("a file of the sandbox; relative to the session's directory"),
    url: z.string().optional().describe("http or https; fetched by the daemon"),
    data: z.string().optional().describe("the bytes in base64, or a `data:` address"),
    mime: MimeSchema.optional().describe("media type; default: by its name"),
    filename: processText.max(255).optional().describe("what the agent sees it called"),
  })
  .refine((a) => [a.path, a.url, a.data].filter((x) => x !== undefined).length === 1, {
    message: "give exactly one of path, url, data",
  })
export type Attachment = z.infer<typeof AttachmentSchema>

export const PostMessageSchema = z
  .strictObject({
    message: z
      .string()
      .refine((text) => fitsBytes(text, limits.messageTextBytes), {
        message: `longer than ${limits.messageTextBytes} bytes`,
      })
      .describe("what the user says; may be empty with attachments"),
    messageId: MessageIdSchema.optional().describe("makes the call idempotent; with another body it is a conflict"),
    attachments: z.array(AttachmentSchema).max(limits.messageAttachments).optional().describe("files and images"),
    delivery: DeliverySchema.optional().describe('"queue" (default) or "steer", into the running turn'),
  })
  .refine((post) => post.message.trim() !== "" || (post.attachments ?? []).length > 0, {
    path: ["message"],
    message: "there is nothing in it, and no attachments are given",
  })
export type PostMessage = z.infer<typeof PostMessageSchema>

export const PostedMessageSchema = z.object({
  messageId: z.string(),
  turnId: z.string(),
  position: z.number().int().describe("0: next or running; n: messages in front"),
})
export type PostedMessage = z.infer<typeof PostedMessageSchema>
