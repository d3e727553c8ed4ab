import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { issuesOf } from "@sandbox-agent/schema/issues"
import type { z } from "zod"

/** What a client sent cannot be meant; `detail` begins with the place. */
export function invalid(detail: string): never {
  throw new SandboxAgentError("invalid_request", detail)
}

/** Checks what a client sent; the error names the place, `where` is what stands before it. */
export function checked<T extends z.ZodType>(schema: T, value: unknown, where: string): z.infer<T> {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const [issue] = issuesOf(error)
  const place = [where, ...(issue?.path ?? []).map(String)].filter((part) => part !== "").join(".")
  return invalid(`${place || "params"}: ${issue?.message ?? "not valid"}`)
}
