import { SandboxAgentError } from "@sandbox-agent/schema/error"

/** What the system says when it has no room for something of ours, in our words; undefined for any other error. */
export function fullDisk(error: unknown): SandboxAgentError | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined
  if (error.code !== "ENOSPC" && error.code !== "EDQUOT") return undefined
  const what = error.code === "EDQUOT" ? "the quota of the daemon's user is used up" : "the disk is full"
  const path = "path" in error && typeof error.path === "string" ? error.path : undefined
  const detail = path === undefined ? what : `${path} cannot be written: ${what}`
  return new SandboxAgentError("insufficient_storage", detail, path === undefined ? {} : { path })
}
