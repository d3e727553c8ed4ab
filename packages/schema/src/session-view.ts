import { z } from "zod"
import { UsageSchema } from "./event.ts"
import { MetadataSchema } from "./json.ts"
import { DeliverySchema } from "./message.ts"
import { AgentErrorSchema } from "./problem.ts"
import { AgentProcessStateSchema, PermissionModeSchema, SessionStatusSchema } from "./session.ts"

export const AppliedSchema = z.enum(["now", "next_turn", "reopen"])

/** A message that waits for its turn. */
export const QueuedMessageSchema = z.object({
  messageId: z.string(),
  turnId: z.string(),
  position: z.number().int(),
  delivery: DeliverySchema,
})

export const SessionSchema = z.object({
  id: z.string(),
  agent: z.string(),
  agentVersion: z.string().optional(),
  agentMode: z.string(),
  permissionMode: PermissionModeSchema,
  model: z.string().optional(),
  variant: z.string().optional(),
  directory: z.string(),
  title: z.string().optional(),
  nativeSessionId: z.string().optional(),
  status: SessionStatusSchema,
  agentProcess: AgentProcessStateSchema,
  background: z.number().int(),
  queue: z.array(QueuedMessageSchema),
  pending: z.object({ permissions: z.number().int(), questions: z.number().int() }),
  firstSequence: z.number().int(),
  lastSequence: z.number().int(),
  usage: UsageSchema.optional(),
  createdAt: z.string(),
  updatedAt: z.string(),
  endedAt: z.string().optional(),
  error: AgentErrorSchema.optional(),
  metadata: MetadataSchema,
})

export const CreatedSessionSchema = z.object({
  healthy: z.boolean(),
  error: AgentErrorSchema.optional(),
  nativeSessionId: z.string().optional(),
  session: SessionSchema,
})

export const ForkedSessionSchema = CreatedSessionSchema.and(z.object({ forkedAtSequence: z.number().int() }))

export const RestoredSessionSchema = CreatedSessionSchema.and(
  z.object({
    context: z
      .enum(["native", "rebuilt"])
      .optional()
      .describe("whether the agent remembers the session by itself, or is told of it in a brief"),
  }),
)

export const UpdatedSessionSchema = z.object({ session: SessionSchema, applied: AppliedSchema })

export const CancelledTurnSchema = z.object({
  ended: z.boolean(),
  turnId: z.string().optional(),
  withdrawn: z.array(z.string()).describe("ids of the messages taken out of the queue"),
})

export const NativeStateSchema = z.object({
  nativeSessionId: z.string().describe("what the agent calls the session"),
  sequence: z.number().int().describe("the event up to which it is current"),
  data: z
    .base64()
    .describe(
      "the agent's own record of the session, for `nativeState` of a restore; what is in it is the agent's matter",
    ),
})
export type NativeState = z.infer<typeof NativeStateSchema>
