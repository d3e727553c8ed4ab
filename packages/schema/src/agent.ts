import { z } from "zod"
import { AgentErrorSchema } from "./error.ts"

/** What an agent can do, as shown by the API and checked by the conformance suite. */
export const capabilityNames = [
  "textMessages",
  "toolCalls",
  "toolResults",
  "streamingDeltas",
  "itemStarted",
  "reasoning",
  "images",
  "fileAttachments",
  "permissions",
  "questions",
  "planMode",
  "sessionLifecycle",
  "errorEvents",
  "status",
  "commandExecution",
  "fileChanges",
  "mcpTools",
  "variants",
  "sharedProcess",
  "modes",
  "models",
  "interrupt",
  "steer",
  "resume",
  "fork",
  "subagents",
  "plans",
  "usage",
] as const
export type Capability = (typeof capabilityNames)[number]
export type Capabilities = Record<Capability, boolean>
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
export type AgentProcess = z.infer<typeof AgentProcessSchema>

export const AgentSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    stability: z.enum(["stable", "experimental"]),
    installed: z.boolean(),
    version: z.string().optional(),
    path: z.string().optional(),
    source: z.enum(["managed", "path", "config"]).optional(),
    credentialsAvailable: z.boolean(),
    capabilities,
    process: AgentProcessSchema,
  })
  .meta({ id: "Agent" })
export type Agent = z.infer<typeof AgentSchema>

export const ModeSchema = z.object({ id: z.string(), name: z.string(), description: z.string().optional() })
export type Mode = z.infer<typeof ModeSchema>
export const ModelSchema = z.object({
  id: z.string(),
  name: z.string(),
  variants: z.array(z.string()),
  defaultVariant: z.string().optional(),
})
export type Model = z.infer<typeof ModelSchema>

export const InstallBodySchema = z.strictObject({
  reinstall: z.boolean().optional(),
  version: z.string().min(1).max(100).optional(),
})
export const InstallResultSchema = z.object({
  installed: z.boolean(),
  version: z.string().optional(),
  path: z.string().optional(),
  error: AgentErrorSchema.optional(),
})
