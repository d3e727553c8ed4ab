import { expect, test } from "vitest"
import type { z } from "zod"
import { capabilityNames } from "../src/agent.ts"
import { AgentSchema } from "../src/agent-view.ts"
import { EnvelopeSchema, eventData, eventTypes } from "../src/event.ts"
import { ContentPartSchema, ItemSchema } from "../src/item.ts"
import { limits } from "../src/limits.ts"
import { CreateSessionSchema, PatchSessionSchema } from "../src/session.ts"
import { SessionSchema } from "../src/session-view.ts"

/** SPEC §3 and §4, word by word: what clients rely on is not renamed by accident, nor left out. */
const words = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== "")
const fieldsOf = (schema: z.ZodType): string[] => Object.keys((schema as z.ZodObject).shape)

test.each([
  {
    name: "capabilities",
    found: [...capabilityNames],
    reported: `textMessages, toolCalls, toolResults, streamingDeltas, itemStarted, reasoning, images, fileAttachments,
      permissions, questions, planApproval, sessionLifecycle, errorEvents, status, commandExecution, fileChanges,
      mcpTools, variants, sharedProcess, modes, models, interrupt, steer, resume, fork, subagents, plans, usage`,
  },
  {
    name: "an agent",
    found: fieldsOf(AgentSchema),
    reported: `id, name, stability, installed, version, path, source, credentialsAvailable, credentials, capabilities, process`,
  },
  {
    name: "a session",
    found: fieldsOf(SessionSchema),
    reported: `id, agent, agentVersion, agentMode, permissionMode, model, variant, directory, title, nativeSessionId, status,
      agentProcess, background, queue, pending, firstSequence, lastSequence, usage, createdAt, updatedAt, endedAt, error,
      metadata`,
  },
  {
    name: "create",
    found: fieldsOf(CreateSessionSchema),
    reported: `agent, agentMode, permissionMode, model, variant, agentVersion, directory, title, mcp, skills, systemPrompt, env,
      metadata, nativeSessionId`,
  },
  {
    name: "change",
    found: fieldsOf(PatchSessionSchema),
    reported: "title, agentMode, permissionMode, model, variant, metadata",
  },
  {
    name: "an event",
    found: fieldsOf(EnvelopeSchema),
    reported: "event_id, sequence, time, session_id, native_session_id, source, synthetic, replayed, raw",
  },
  {
    name: "the types of events",
    found: [...eventTypes],
    reported: `session.started, session.updated, session.ended, message.updated, turn.started, turn.ended, item.started,
      item.delta, item.completed, permission.requested, permission.resolved, question.requested, question.resolved,
      plan.updated, usage.updated, error, agent.unparsed, agent.native`,
  },
  {
    name: "turn.ended",
    found: fieldsOf(eventData["turn.ended"]),
    reported: "phase, turn_id, message_ids, stop_reason, error, forced, usage, cost_usd, metadata",
  },
  {
    name: "an item",
    found: fieldsOf(ItemSchema),
    reported: `item_id, native_item_id, parent_id, turn_id, message_id, group, kind, role, status, late, metadata, content`,
  },
  {
    name: "the parts of an item",
    found: ContentPartSchema.options.flatMap((part) => [...part.shape.type.values]),
    reported: "text, json, tool_call, tool_result, file_ref, image, reasoning, status",
  },
])("$name", ({ found, reported }) => {
  expect(new Set(found)).toEqual(new Set(words(reported)))
})

test("an interrupt is forced after four seconds", () => {
  expect(limits.interruptMs).toBe(4_000)
})
