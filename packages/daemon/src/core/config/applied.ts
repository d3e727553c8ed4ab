import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { CreateSession } from "@sandbox-agent/schema/session"
import { realPath } from "../../files/confinement.ts"
import type { Context } from "../context.ts"

/** What a session is created with, when what is configured for its directory has been added. */
export interface Wanted extends CreateSession {
  /** Names of MCP servers that came from there. */
  configured?: readonly string[]
}

/** Most directories have no config: then nothing more is loaded. */
export async function withConfig(context: Context, body: CreateSession, directory: string): Promise<Wanted> {
  const key = await realPath(directory)
  const [mcp, skills] = [context.config.list("mcp", key), context.config.list("skills", key)]
  if (mcp.length === 0 && skills.length === 0) return body
  const { applyConfig } = await import("./apply.ts")
  return applyConfig(context, body, directory, { mcp, skills })
}

/** A refusal of what the client did not give itself says where it comes from. */
export async function withConfigSource<T>(wanted: Wanted, body: CreateSession, work: Promise<T>): Promise<T> {
  if (wanted === body) return work
  return work.catch((error: unknown) => {
    if (!SandboxAgentError.is(error)) throw error
    const hint = `Some of it is configured for the directory: see GET /v1/config/mcp and /v1/config/skills.`
    throw new SandboxAgentError(error.code, error.detail, { hint, ...error.context })
  })
}
