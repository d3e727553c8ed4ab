import { constants } from "node:fs"
import { access, stat } from "node:fs/promises"
import { join, resolve } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Mcp } from "@sandbox-agent/schema/session"
import type { Context } from "./context.ts"
import { assertDirectory } from "./directory.ts"

/** Agents pass over a server that they cannot start: whoever gave it would learn of it only from what is missing. */
export async function assertMcp(
  mcp: Mcp,
  directory: string,
  env: Readonly<Record<string, string>>,
  place: Pick<Context, "files" | "agentUser">,
): Promise<void> {
  for (const [name, server] of Object.entries(mcp)) {
    if ("url" in server) continue
    const path = server.env?.PATH ?? env.PATH ?? process.env.PATH ?? ""
    const cwd = resolve(directory, server.cwd ?? ".")
    if (server.cwd !== undefined) await assertDirectory(`mcp.${name}.cwd`, cwd, place)
    if (await isProgram(server.command, cwd, path)) continue
    throw new SandboxAgentError("invalid_request", `mcp.${name}: there is no program ${server.command}`)
  }
}

/** As agents are told of them: none has a word for where a server runs, so a shell goes there first. */
export function withPlaces(mcp: Mcp | undefined, directory: string): Mcp | undefined {
  if (mcp === undefined) return undefined
  return Object.fromEntries(
    Object.entries(mcp).map(([name, server]) => {
      if ("url" in server || server.cwd === undefined) return [name, server]
      const { command, args = [], cwd, ...rest } = server
      const words = ["-c", 'cd "$0" && exec "$@"', resolve(directory, cwd), command, ...args]
      return [name, { ...rest, command: "/bin/sh", args: words }]
    }),
  )
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
