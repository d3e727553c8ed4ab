import { z } from "zod"
import { EndedBySchema, EndReasonSchema } from "./event.ts"
import { SessionStatusSchema } from "./session.ts"

/** Payload of each event of the log of all sessions. It outlives them: what was said in one, its title or its metadata is not told in it. */
export const globalEventData = {
  "session.created": z.object({ agent: z.string() }),
  "session.status": z.object({ status: SessionStatusSchema }),
  "session.updated": z.object({
    changed: z.array(z.enum(["title", "metadata"])).optional(),
    queued: z.number().int().optional(),
    background: z.number().int().optional(),
  }),
  "session.pending": z.object({ permissions: z.number().int(), questions: z.number().int() }),
  "session.ended": z.object({ reason: EndReasonSchema, terminated_by: EndedBySchema }),
  "session.deleted": z.object({}),
} as const

export type GlobalEventType = keyof typeof globalEventData
export type GlobalEventData<T extends GlobalEventType> = z.infer<(typeof globalEventData)[T]>
export const globalEventTypes = Object.keys(globalEventData) as [GlobalEventType, ...GlobalEventType[]]

export const GlobalEnvelopeSchema = z.object({
  event_id: z.string(),
  sequence: z.number().int().describe("of the log of all sessions; no gaps"),
  time: z.string().describe("RFC 3339, never going back"),
  session_id: z.string(),
})

type Envelope = z.infer<typeof GlobalEnvelopeSchema>
type GlobalEventOf<T extends GlobalEventType> = T extends GlobalEventType
  ? Envelope & { type: T; data: GlobalEventData<T> }
  : never
export type GlobalEvent = GlobalEventOf<GlobalEventType>

/** One line of the log of all sessions. */
export const GlobalEventSchema: z.ZodType<GlobalEvent> = z.lazy(
  () =>
    z.union(
      globalEventTypes.map((type) =>
        GlobalEnvelopeSchema.extend({ type: z.literal(type), data: globalEventData[type] }),
      ),
    ) as unknown as z.ZodType<GlobalEvent>,
)
