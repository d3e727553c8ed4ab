import { z } from "zod"
import { DeltaPartSchema, ItemSchema } from "./item.ts"
import { JsonValueSchema, MetadataSchema } from "./json.ts"
import { DeliverySchema, MessageStateSchema } from "./message.ts"
import { ErrorCodeSchema, StderrSchema } from "./problem.ts"
import { PermissionSchema, QuestionSchema } from "./request-view.ts"
import { AgentProcessStateSchema, PermissionModeSchema, SessionStatusSchema } from "./session.ts"

export const UsageSchema = z.object({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cached_tokens: z.number().optional(),
  reasoning_tokens: z.number().optional(),
  context_used: z.number().optional(),
  context_size: z.number().optional(),
  cost_usd: z.number().optional(),
})
export type Usage = z.infer<typeof UsageSchema>

export const StopReasonSchema = z.enum(["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error"])
export type StopReason = z.infer<typeof StopReasonSchema>

export const TurnErrorSchema = z.object({
  code: z.union([ErrorCodeSchema, z.string()]),
  message: z.string(),
  exit_code: z.number().optional(),
  signal: z.string().optional(),
  stderr: StderrSchema.optional(),
})
export type TurnError = z.infer<typeof TurnErrorSchema>

export const PlanEntrySchema = z.object({
  content: z.string(),
  status: z.enum(["pending", "in_progress", "completed"]),
  priority: z.string().optional(),
})
export type PlanEntry = z.infer<typeof PlanEntrySchema>

export const CommandSchema = z.object({
  name: z.string(),
  description: z.string().optional(),
  hint: z.string().optional(),
})

export const EndReasonSchema = z.enum(["completed", "error", "terminated"])
export const EndedBySchema = z.enum(["agent", "daemon"])

const metadata = MetadataSchema.optional()

/** Payload of each event type. The keys of this object are the closed list of types. */
export const eventData = {
  "session.started": z.object({
    metadata,
    resumed: z.boolean().optional(),
    forked_from: z.string().optional(),
    adopted: z.boolean().optional(),
    restored: z.boolean().optional().describe("it was a session of another daemon"),
  }),
  "session.updated": z.object({
    title: z.string().optional(),
    agent_mode: z.string().optional(),
    permission_mode: PermissionModeSchema.optional(),
    model: z.string().optional(),
    variant: z.string().optional(),
    commands: z.array(CommandSchema).optional(),
    status: SessionStatusSchema.optional(),
    native_session_id: z.string().optional(),
    context: z
      .literal("rebuilt")
      .optional()
      .describe("the agent begins a new native session and is told of this one in a brief made from the log"),
    reason: z.string().optional().describe("why the context was rebuilt"),
    agent_process: AgentProcessStateSchema.optional(),
    background: z.number().optional(),
    metadata,
  }),
  "session.ended": z.object({
    reason: EndReasonSchema,
    terminated_by: EndedBySchema,
    message: z.string().optional(),
    exit_code: z.number().optional(),
    stderr: StderrSchema.optional(),
  }),
  "message.updated": z.object({
    message_id: z.string(),
    state: MessageStateSchema,
    delivery: DeliverySchema,
    position: z.number().optional(),
    turn_id: z.string().optional(),
    error: TurnErrorSchema.optional(),
  }),
  "turn.started": z.object({
    phase: z.literal("started"),
    turn_id: z.string(),
    origin: z.enum(["message", "agent", "command"]),
    message_ids: z.array(z.string()),
    metadata,
  }),
  "turn.ended": z.object({
    phase: z.literal("ended"),
    turn_id: z.string(),
    message_ids: z.array(z.string()),
    stop_reason: StopReasonSchema,
    error: TurnErrorSchema.optional(),
    forced: z.boolean().optional(),
    usage: UsageSchema.optional(),
    cost_usd: z.number().optional(),
    metadata,
  }),
  "item.started": z.object({ item: ItemSchema }),
  "item.delta": z.object({
    item_id: z.string(),
    native_item_id: z.string().optional(),
    delta: z.string(),
    part: DeltaPartSchema,
    reset: z.boolean().optional().describe("the part starts again with this text"),
  }),
  "item.completed": z.object({ item: ItemSchema }),
  "permission.requested": PermissionSchema,
  "permission.resolved": PermissionSchema,
  "question.requested": QuestionSchema,
  "question.resolved": QuestionSchema,
  "plan.updated": z.object({ entries: z.array(PlanEntrySchema) }),
  "usage.updated": UsageSchema,
  error: z.object({ message: z.string(), code: z.string().optional(), details: JsonValueSchema.optional() }),
  "agent.unparsed": z.object({ error: z.string(), location: z.string(), raw_hash: z.string().optional() }),
  "agent.native": z.object({ method: z.string() }),
} as const

export type EventType = keyof typeof eventData
export type EventData<T extends EventType> = z.infer<(typeof eventData)[T]>
export const eventTypes = Object.keys(eventData) as [EventType, ...EventType[]]

/** What every event has around its type and data. */
export const EnvelopeSchema = z.object({
  event_id: z.string(),
  sequence: z.number().int().describe("starts at 1, no gaps"),
  time: z.string().describe("RFC 3339, never going back"),
  session_id: z.string(),
  native_session_id: z.string().optional(),
  source: z.enum(["agent", "daemon"]),
  synthetic: z.boolean().describe("true exactly when the source is the daemon"),
  replayed: z.boolean().optional(),
  raw: JsonValueSchema.optional().describe("the native line; only with include_raw=true"),
})
const eventOf = <T extends EventType>(type: T) =>
  EnvelopeSchema.extend({ type: z.literal(type), data: eventData[type] })

type Envelope = z.infer<typeof EnvelopeSchema>
export type EventOf<T extends EventType> = T extends EventType ? Envelope & { type: T; data: EventData<T> } : never
export type Event = EventOf<EventType>

/** One line of a session's log. Built on first use: the daemon itself never validates what it wrote. */
export const EventSchema: z.ZodType<Event> = z.lazy(
  () => z.union(eventTypes.map(eventOf)) as unknown as z.ZodType<Event>,
)
