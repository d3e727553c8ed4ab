import { constants } from "node:fs"
import { access, stat } from "node:fs/promises"
import { join, resolve } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Mcp } from "@sandbox-agent/schema/session"
import type { Context } from "./context.ts"
import { assertDirectory } from "./directory.ts"
import type { McpStderr } from "./mcp-stderr.ts"

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

const inPlace = 'cd "$0" && exec "$@"'
/** A file that cannot be written to keeps no server from starting. */
const withStderr = `if true 2>/dev/null >>"$0"; then exec 2>>"$0"; fi; exec "$@"`

/** MCP servers as agents get them. No agent has an option for the working directory and stderr of a server, so a shell sets both and then becomes the server. */
export function asLaunched(mcp: Mcp | undefined, directory: string, stderr?: McpStderr): Mcp | undefined {
  if (mcp === undefined) return undefined
  return Object.fromEntries(
    Object.entries(mcp).map(([name, server]) => {
      if ("url" in server) return [name, server]
      const { command, args = [], cwd, ...rest } = server
      const file = stderr?.pathOf(name)
      const behind = (script: string, place: string) => ["/bin/sh", "-c", script, place]
      const shells = [
        ...(file === undefined ? [] : behind(withStderr, file)),
        ...(cwd === undefined ? [] : behind(inPlace, resolve(directory, cwd))),
      ]
      const [first = command, ...words] = [...shells, command, ...args]
      return [name, shells.length === 0 ? server : { ...rest, command: first, args: words }]
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
