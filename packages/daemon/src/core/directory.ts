import { stat } from "node:fs/promises"
import { isAbsolute } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { type Confinement, realPath } from "../files/confinement.ts"

/** A directory that a client named, under the name of its field. */
export async function assertDirectory(field: string, path: string, files: Confinement): Promise<void> {
  if (!isAbsolute(path)) throw new SandboxAgentError("invalid_request", `${field}: ${path} is not absolute`)
  const found = await stat(path).catch(() => undefined)
  if (!found?.isDirectory()) throw new SandboxAgentError("invalid_request", `${field}: ${path} is not a directory`)
  files.assert(await realPath(path), path)
}
