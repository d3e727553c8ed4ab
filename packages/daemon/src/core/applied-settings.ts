import type { EventData } from "@sandbox-agent/schema/event"
import { limits } from "@sandbox-agent/schema/limits"
import type { PermissionMode } from "@sandbox-agent/schema/session"
import type { Settings } from "./driver.ts"
import type { SessionPatch } from "./driver-sink.ts"
import { asLaunched } from "./mcp-entries.ts"
import { redecide } from "./requests.ts"
import type { Session } from "./session.ts"

type Updated = EventData<"session.updated">

export function settingsOf(s: Session): Settings {
  const { agentMode, permissionMode, model, variant, systemPrompt, skills, directory } = s.record
  const mcp = asLaunched(s.secrets.mcp, directory, s.mcpStderr)
  return { agentMode, permissionMode, model, variant, systemPrompt, skills, mcp }
}

/** Applies the settings that waited for this moment. */
export function applyDeferred(s: Session, when: "next_turn" | "reopen"): void {
  const wanted = s.deferred[when]
  if (Object.keys(wanted).length === 0) return
  s.deferred[when] = {}
  keepDeferred(s)
  applySettings(s, wanted)
}

/** In its record, over a restart: whoever asked was told that it is taken. MCP servers are among the secrets already. */
export function keepDeferred(s: Session): void {
  const { next_turn, reopen } = s.deferred
  const { mcp: _, ...deferred } = { ...next_turn, ...reopen }
  s.record.deferred = Object.keys(deferred).length === 0 ? undefined : deferred
  s.context.store.saveLater(s)
}

/** Writes the settings that are true from now on. */
export function applySettings(s: Session, wanted: Partial<Settings>): void {
  const changes: Updated = {}
  if (wanted.agentMode !== undefined) changes.agent_mode = s.record.agentMode = wanted.agentMode
  const { permissionMode } = s.record
  if (wanted.permissionMode !== undefined) {
    // One that left `bypass` was in force before its process was.
    if (wanted.permissionMode !== permissionMode) changes.permission_mode = wanted.permissionMode
    s.record.permissionMode = wanted.permissionMode
    s.beforePlan = undefined
  }
  if (wanted.model !== undefined) {
    changes.model = s.record.model = wanted.model
    s.record.variant = undefined // one of the old model; the new one starts with its default
  }
  if (wanted.variant !== undefined) changes.variant = s.record.variant = wanted.variant
  if (Object.keys(changes).length === 0) return
  s.append("session.updated", changes, "daemon")
  if (changes.permission_mode !== undefined) redecide(s)
}

/** A mode change the core decides itself (an approved plan): told to the agent as well. */
export function setPermissionMode(s: Session, permissionMode: PermissionMode): void {
  applySettings(s, { permissionMode })
  s.native?.configure?.({ permissionMode }).catch((error: unknown) =>
    s.context.log("warn", "the agent did not take the permission mode", {
      session: s.record.id,
      error: String(error),
    }),
  )
}

/** What the agent itself says of its session. */
export function patchFromAgent(s: Session, patch: SessionPatch): void {
  const { record } = s
  const changes: Updated = {}
  if (patch.title !== undefined && patch.title !== record.title)
    changes.title = record.title = patch.title.slice(0, limits.titleChars)
  if (patch.agentMode !== undefined && patch.agentMode !== record.agentMode)
    changes.agent_mode = record.agentMode = patch.agentMode
  if (patch.model !== undefined && patch.model !== record.model) changes.model = record.model = patch.model
  if (patch.variant !== undefined && patch.variant !== record.variant) changes.variant = record.variant = patch.variant
  if (patch.commands !== undefined) changes.commands = patch.commands
  if (patch.nativeSessionId !== undefined && patch.nativeSessionId !== record.native.id) {
    changes.native_session_id = record.native.id = patch.nativeSessionId
    s.nativeIdChanged()
  }
  if (patch.durable !== undefined && patch.durable !== record.native.durable) {
    record.native.durable = patch.durable
    s.context.store.saveLater(s)
  }
  if (patch.kept !== undefined) {
    record.native.kept = patch.kept
    const { store } = s.context
    store.deferred(() => store.saveLater(s)) // nobody waits for it
  }
  const mode = patch.permissionMode !== record.permissionMode ? patch.permissionMode : undefined
  if (mode !== undefined) {
    s.beforePlan = mode === "plan" ? record.permissionMode : undefined
    changes.permission_mode = record.permissionMode = mode
  }
  if (Object.keys(changes).length > 0) {
    const sequence = s.append("session.updated", changes)
    if (changes.commands !== undefined) s.rememberSequence("commands", sequence)
  }
  if (mode !== undefined) redecide(s)
}
