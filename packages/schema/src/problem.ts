import { z } from "zod"
import { errorCodes } from "./error.ts"

export const ErrorCodeSchema = z.enum(errorCodes)

export const StderrSchema = z
  .object({
    head: z.string().optional(),
    tail: z.string().optional(),
    truncated: z.boolean(),
    total_lines: z.number().optional(),
  })
  .describe("Up to 70 lines are all in `head`; of more, the first 20 are in `head` and the last 50 in `tail`.")

/** What went wrong with an agent, as shown in JSON answers. */
export const AgentErrorSchema = z.object({
  // Errors in turns have codes of their own, and the agent's.
  code: z.union([ErrorCodeSchema, z.string()]),
  message: z.string(),
  agent: z.string().optional(),
  sessionId: z.string().optional(),
  exitCode: z.number().optional(),
  signal: z.string().optional(),
  stderr: StderrSchema.optional(),
  hint: z.string().optional(),
})

/** RFC 7807, the body of every error response. Context fields stand beside the standard ones. */
export const ProblemSchema = z.looseObject({
  type: z.string().describe("urn:sandbox-agent:error:<code>"),
  title: z.string(),
  status: z.number(),
  detail: z.string(),
  requestId: z.string().optional(),
  hint: z.string().optional(),
  agent: z.string().optional(),
  sessionId: z.string().optional(),
  exitCode: z.number().int().optional(),
  stderr: StderrSchema.optional(),
})
