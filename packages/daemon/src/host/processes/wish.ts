import { join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { assertDirectory } from "../../core/directory.ts"
import type { ProcessHost } from "./host.ts"

/** What a client wants to be started. */
export interface Wish {
  command?: string | null
  args?: readonly string[] | null
  shell?: string | null
  cwd?: string | null
  sessionId?: string | null
  env?: Readonly<Record<string, string>> | null
}

/** The same, made out. */
export interface Words {
  command: string[]
  directory: string
  env: Record<string, string>
}

/** Throws when its directory is none that may be used. */
export async function wordsOf(host: ProcessHost, wish: Wish): Promise<Words> {
  const base = wish.sessionId == null ? undefined : host.directoryOf(wish.sessionId)
  const directory =
    wish.cwd == null ? (base ?? host.defaultDirectory) : base === undefined ? wish.cwd : under(base, wish.cwd)
  await assertDirectory("cwd", directory, host)
  const command = wish.shell == null ? [wish.command ?? "", ...(wish.args ?? [])] : ["/bin/sh", "-c", wish.shell]
  return { command, directory, env: { ...wish.env } }
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
