import { z } from "zod"
import { type Capability, capabilityNames } from "./agent.ts"
import { AgentErrorSchema, ProblemSchema } from "./problem.ts"

export const CapabilitiesSchema = z.object(
  Object.fromEntries(capabilityNames.map((name) => [name, z.boolean()])) as Record<Capability, z.ZodBoolean>,
)

export const AgentProcessSchema = z.object({
  status: z.enum(["stopped", "starting", "running", "failed"]),
  pid: z.number().optional(),
  uptimeMs: z.number().optional(),
  rssBytes: z.number().optional(),
  restartCount: z.number(),
  lastError: z.string().optional(),
})

export const AgentSchema = z.object({
  id: z.string(),
  name: z.string(),
  stability: z.enum(["stable", "experimental"]),
  installed: z.boolean(),
  version: z.string().optional(),
  path: z.string().optional(),
  source: z.enum(["managed", "path", "config", "builtin"]).optional(),
  credentialsAvailable: z.boolean().describe("true only when found, or when none are needed"),
  credentials: z
    .enum(["available", "missing", "unknown"])
    .describe(
      "`unknown`: nobody has said what this agent logs in with, or it may need nothing of what was looked for; a session tells",
    ),
  capabilities: CapabilitiesSchema,
  process: AgentProcessSchema,
})

export const ModeSchema = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  unverified: z
    .literal(true)
    .optional()
    .describe("nobody vouches that the agent still asks in it: taken only in permission mode `bypass`"),
})
export const ModelSchema = z.object({
  id: z.string(),
  name: z.string(),
  variants: z.array(z.string()),
  defaultVariant: z.string().optional(),
})

export const InstallResultSchema = z.object({
  installed: z.boolean(),
  version: z.string().optional(),
  path: z.string().optional(),
  notes: z
    .array(z.string())
    .optional()
    .describe("what failed before it, and that it is not the newest version, where it is not"),
  error: AgentErrorSchema.optional(),
})

export const InstallProgressEventSchema = z.object({
  type: z.literal("install.progress"),
  phase: z.string().describe("wait, resolve, download, verify, unpack, check, activate"),
  bytes: z.number().int(),
  total: z.number().int().optional(),
  source: z.string().optional().describe("where it comes from: npm or vendor"),
  message: z.string().optional().describe("a word for people"),
})
export const InstallDoneEventSchema = InstallResultSchema.extend({ type: z.literal("install.done") })
export const InstallErrorEventSchema = ProblemSchema.extend({
  type: z.literal("error"),
  problem: z.string().describe("the type of the problem: urn:sandbox-agent:error:<code>"),
})
/** One event of an install that is streamed; the last one is `install.done` or `error`. */
export const InstallEventSchema = z.discriminatedUnion("type", [
  InstallProgressEventSchema,
  InstallDoneEventSchema,
  InstallErrorEventSchema,
])
