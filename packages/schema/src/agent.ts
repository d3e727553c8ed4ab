import type { z } from "zod"
import type { AgentProcessSchema, AgentSchema, ModelSchema, ModeSchema } from "./agent-view.ts"

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
  "planApproval",
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
export type AgentProcess = z.infer<typeof AgentProcessSchema>
export type Agent = z.infer<typeof AgentSchema>
export type Mode = z.infer<typeof ModeSchema>
export type Model = z.infer<typeof ModelSchema>
