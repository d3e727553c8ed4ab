import { stat } from "node:fs/promises"
import { isAbsolute } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { realPath } from "../files/confinement.ts"
import type { Context } from "./context.ts"

/** A directory that a client named, under the name of its field. */
export async function assertDirectory(
  field: string,
  path: string,
  { files, agentUser }: Pick<Context, "files" | "agentUser">,
): Promise<void> {
  if (!isAbsolute(path)) throw new SandboxAgentError("invalid_request", `${field}: ${path} is not absolute`)
  const found = await stat(path).catch(() => undefined)
  if (!found?.isDirectory()) throw new SandboxAgentError("invalid_request", `${field}: ${path} is not a directory`)
  files.assert(await realPath(path), path)
  if (agentUser === undefined || (await agentUser.canRead(path))) return
  const { name } = agentUser
  throw new SandboxAgentError("permission_denied", `${field}: user ${name}, whom agents run as, cannot enter ${path}`, {
    hint: `Give it the folder (chown -R ${name} ${path}) and let it pass through those above, or name another one.`,
  })
}
