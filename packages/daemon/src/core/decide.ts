import type { PermissionKind } from "@sandbox-agent/schema/request"
import type { PermissionMode } from "@sandbox-agent/schema/session"
import type { NativePermission } from "./driver-sink.ts"

export interface Asked {
  kind: PermissionKind
  covers: readonly string[]
  readOnly?: boolean
  /** More than an edit, though a file is changed: it decides what is asked for. */
  guarded?: boolean
  allowed?: NativePermission["allowed"]
}

export type Decision = { verdict: "ask" } | { verdict: "allow" | "reject"; by: "rule" | "mode"; reason: string }

/** The whole permission policy: what the mode and the session's rules say, before a person is asked. */
export function decide(asked: Asked, mode: PermissionMode, rules: ReadonlySet<string>): Decision {
  // What outlasts the mode that allowed it is a person's to allow.
  const lasts = asked.allowed !== undefined
  if (mode === "bypass") return inBypass(asked)
  if (mode === "plan") {
    if (asked.readOnly && !lasts) return { verdict: "allow", by: "mode", reason: "permission mode plan allows reading" }
    // Plan comes before the rules: a rule given earlier must not let a plan write.
    if (asked.kind === "command" || asked.kind === "file_change")
      return { verdict: "reject", by: "mode", reason: "permission mode plan cannot write" }
    return { verdict: "ask" }
  }
  if (asked.allowed !== "never" && asked.covers.some((key) => rules.has(key)))
    return { verdict: "allow", by: "rule", reason: "allowed for this session before" }
  if (mode === "acceptEdits" && asked.kind === "file_change" && !asked.guarded && !lasts)
    return { verdict: "allow", by: "mode", reason: "permission mode acceptEdits allows file changes" }
  return { verdict: "ask" }
}

function inBypass({ allowed }: Asked): Decision {
  if (allowed === "never") return { verdict: "reject", by: "mode", reason: "the agent offers no answer that allows it" }
  const reason = "permission mode bypass allows everything"
  return { verdict: "allow", by: "mode", reason: allowed === undefined ? reason : `${reason}; ${FOR_GOOD}` }
}

/** Said wherever an agent gets such an answer. */
export const FOR_GOOD = "the agent takes it for good, and may not ask for this again in any permission mode"
