import { z } from "zod"
import { UsageSchema } from "./event.ts"
import { DeliverySchema } from "./message.ts"
import { AgentErrorSchema } from "./problem.ts"
import { PermissionModeSchema, SessionStatusSchema } from "./session.ts"

export const AgentProcessStateSchema = z.enum(["none", "starting", "live"])
export const AppliedSchema = z.enum(["now", "next_turn", "reopen"])

export const SessionSchema = z
  .object({
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
    queue: z.array(
      z.object({ messageId: z.string(), turnId: z.string(), position: z.number().int(), delivery: DeliverySchema }),
    ),
    pending: z.object({ permissions: z.number().int(), questions: z.number().int() }),
    firstSequence: z.number().int(),
    lastSequence: z.number().int(),
    usage: UsageSchema.optional(),
    createdAt: z.string(),
    updatedAt: z.string(),
    endedAt: z.string().optional(),
    error: AgentErrorSchema.optional(),
    metadata: z.record(z.string(), z.unknown()),
  })
  .meta({ id: "Session" })

export const CreatedSessionSchema = z.object({
  healthy: z.boolean(),
  error: AgentErrorSchema.optional(),
  nativeSessionId: z.string().optional(),
  session: SessionSchema,
})
