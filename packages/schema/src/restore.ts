import { z } from "zod"
import { fitsBytes } from "./byte-length.ts"
import { PlanEntrySchema, TurnErrorSchema } from "./event.ts"
import { ItemSchema } from "./item.ts"
import { limits } from "./limits.ts"
import { MimeSchema } from "./message.ts"
import { PermissionSchema, QuestionSchema } from "./request-view.ts"
import { CreateSessionSchema } from "./session.ts"

/** As large as a log has one: a text, and what stands around it. */
const itemBytes = limits.itemTextBytes + limits.eventBytes

export const RestoreSessionSchema = CreateSessionSchema.extend({
  items: z
    .array(ItemSchema)
    .max(limits.restoredItems)
    .refine((items) => items.every((item) => fitsBytes(JSON.stringify(item), itemBytes)), {
      message: `one is larger than ${itemBytes} bytes`,
    })
    .describe(
      "what was said and done, in order, as `GET …/items` tells it; one that is not completed counts as failed",
    ),
  plan: z
    .array(PlanEntrySchema)
    .refine((plan) => fitsBytes(JSON.stringify(plan), limits.eventBytes), {
      message: `larger than ${limits.eventBytes} bytes`,
    })
    .optional()
    .describe("as `plan.updated` told it last"),
  error: TurnErrorSchema.refine((error) => fitsBytes(JSON.stringify(error), limits.eventBytes), {
    message: `larger than ${limits.eventBytes} bytes`,
  })
    .optional()
    .describe("why its last turn failed, as `turn.ended` told it; the session tells it until its next turn"),
  decisions: z
    .array(z.union([PermissionSchema, QuestionSchema]))
    .max(limits.briefDecisions)
    .optional()
    .describe("what people decided, in order, as `permission.resolved` and `question.resolved` told it"),
  blobs: z
    .array(z.strictObject({ mime: MimeSchema.describe("media type"), data: z.base64().describe("the bytes") }))
    .max(limits.restoredBlobs)
    .optional()
    .describe("bytes that `items` name as `blob`; an item whose bytes are not here names none"),
  nativeSessionId: CreateSessionSchema.shape.nativeSessionId.describe(
    "what the agent called the session: it goes on with it where it still has it here, or `nativeState` brings it",
  ),
  nativeState: z
    .base64()
    .max(Math.ceil(limits.nativeStateSentBytes / 3) * 4)
    .optional()
    .describe("`data` of the session's native state, given with `nativeSessionId`"),
})
export type RestoreSession = z.infer<typeof RestoreSessionSchema> & { agent: string }
