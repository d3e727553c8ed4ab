import { join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { assertDirectory } from "../../core/directory.ts"
import type { ProcessHost } from "./host.ts"

/** What a client wants to be started. */
export interface ProgramRequest {
  command?: string | null
  args?: readonly string[] | null
  shell?: string | null
  cwd?: string | null
  sessionId?: string | null
  env?: Readonly<Record<string, string>> | null
}

/** The same, made out. */
export interface ProgramStart {
  command: string[]
  directory: string
  env: Record<string, string>
}

/** Throws when its directory is none that may be used. */
export async function programStartOf(host: ProcessHost, request: ProgramRequest): Promise<ProgramStart> {
  const base = request.sessionId == null ? undefined : host.directoryOf(request.sessionId)
  const directory =
    request.cwd == null ? (base ?? host.defaultDirectory) : base === undefined ? request.cwd : under(base, request.cwd)
  await assertDirectory("cwd", directory, host)
  const command =
    request.shell == null ? [request.command ?? "", ...(request.args ?? [])] : ["/bin/sh", "-c", request.shell]
  return { command, directory, env: { ...request.env } }
}

/** Absolute ones stay what they are. */
const under = (base: string, path: string): string => (path.startsWith("/") ? path : join(base, path))

/** A program that cannot be started is a mistake of whoever named it. */
export function startOrRefuse<T>(start: () => T): T {
  try {
    return start()
  } catch (error) {
    if (!SandboxAgentError.is(error) || !/^agent_/.test(error.code)) throw error
    throw new SandboxAgentError("invalid_request", error.detail)
  }
}
