import type { PermissionKind } from "@sandbox-agent/schema/request"
import type { PermissionMode } from "@sandbox-agent/schema/session"

export interface Asked {
  kind: PermissionKind
  covers: readonly string[]
  readOnly?: boolean
  /** More than an edit, though a file is changed: it decides what is asked for. */
  guarded?: boolean
}

export type Decision = { verdict: "ask" } | { verdict: "allow" | "reject"; by: "rule" | "mode"; reason: string }

/** The whole permission policy: what the mode and the session's rules say, before a person is asked. */
export function decide(asked: Asked, mode: PermissionMode, rules: ReadonlySet<string>): Decision {
  if (mode === "bypass") return { verdict: "allow", by: "mode", reason: "permission mode bypass allows everything" }
  if (mode === "plan") {
    if (asked.readOnly) return { verdict: "allow", by: "mode", reason: "permission mode plan allows reading" }
    // Plan comes before the rules: a rule given earlier must not let a plan write.
    if (asked.kind === "command" || asked.kind === "file_change")
      return { verdict: "reject", by: "mode", reason: "permission mode plan cannot write" }
    return { verdict: "ask" }
  }
  if (asked.covers.some((key) => rules.has(key)))
    return { verdict: "allow", by: "rule", reason: "allowed for this session before" }
  if (mode === "acceptEdits" && asked.kind === "file_change" && !asked.guarded)
    return { verdict: "allow", by: "mode", reason: "permission mode acceptEdits allows file changes" }
  return { verdict: "ask" }
}
