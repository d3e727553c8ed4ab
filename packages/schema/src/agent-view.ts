import { z } from "zod"
import { type Capability, capabilityNames } from "./agent.ts"
import { AgentErrorSchema } from "./problem.ts"

const capabilities = z.object(
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

export const AgentSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    stability: z.enum(["stable", "experimental"]),
    installed: z.boolean(),
    version: z.string().optional(),
    path: z.string().optional(),
    source: z.enum(["managed", "path", "config"]).optional(),
    credentialsAvailable: z.boolean().meta({ description: "true only when found, or when none are needed" }),
    credentials: z
      .enum(["available", "missing", "unknown"])
      .meta({ description: "`unknown`: nobody has said what this agent logs in with; a session tells" }),
    capabilities,
    process: AgentProcessSchema,
  })
  .meta({ id: "Agent" })

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
  error: AgentErrorSchema.optional(),
})
