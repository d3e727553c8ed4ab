import { constants } from "node:fs"
import { access, stat } from "node:fs/promises"
import { join, resolve } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Mcp } from "@sandbox-agent/schema/session"

/** Agents pass over a server that they cannot start: whoever gave it would learn of it only from what is missing. */
export async function assertMcp(mcp: Mcp, directory: string, env: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, server] of Object.entries(mcp)) {
    if ("url" in server) continue
    const path = server.env?.PATH ?? env.PATH ?? process.env.PATH ?? ""
    if (await isProgram(server.command, directory, path)) continue
    throw new SandboxAgentError("invalid_request", `mcp.${name}: there is no program ${server.command}`)
  }
}

async function isProgram(command: string, directory: string, path: string): Promise<boolean> {
  const places = command.includes("/")
    ? [resolve(directory, command)]
    : path.split(":").flatMap((folder) => (folder === "" ? [] : [join(folder, command)]))
  for (const place of places) if (await isExecutable(place)) return true
  return false
}

const isExecutable = (path: string): Promise<boolean> =>
  Promise.all([stat(path), access(path, constants.X_OK)]).then(
    ([found]) => found.isFile(),
    () => false,
  )
