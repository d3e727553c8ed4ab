import type { PermissionMode } from "@sandbox-agent/schema/session"

export interface Policy {
  approvalPolicy: "untrusted" | "on-request" | "never"
  sandboxPolicy: { type: "dangerFullAccess" } | { type: "readOnly"; networkAccess: boolean }
}

const free = { type: "dangerFullAccess" } as const

/**
 * What Codex is told of a permission mode. It asks for each command and each patch, and the core decides: that needs no
 * sandbox of Codex's own, which many containers cannot give. `bypass` asks for nothing. In `plan` commands run
 * where they cannot write, if the system can do that, and whatever wants more is asked for and refused by the core;
 * if it cannot, all is asked for, and the core lets only plain reading pass.
 */
export function policyOf(mode: PermissionMode, sandboxes: boolean): Policy {
  if (mode === "bypass") return { approvalPolicy: "never", sandboxPolicy: free }
  if (mode === "plan" && sandboxes)
    return { approvalPolicy: "on-request", sandboxPolicy: { type: "readOnly", networkAccess: false } }
  return { approvalPolicy: "untrusted", sandboxPolicy: free }
}
