import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { type BytePath, toText } from "./byte-path.ts"
import type { Opened } from "./opened.ts"
import type { TarEntry } from "./tar-reader.ts"

/** What is told of a name that no system takes. */
const SHOWN_BYTES = 200

/** The names on the way from the target; or why there is no such way. */
export function namesOf(path: BytePath): BytePath[] | string {
  if (path.startsWith("/")) return "is an absolute path"
  if (path.includes("\0")) return "contains a NUL character"
  const names = path.split("/").filter((name) => name !== "" && name !== ".")
  return names.includes("..") ? "leads out of its folder" : names
}

/** Before anything is made of it: of a path that no system takes half would be made. */
export function assertPlaceable({ path, target, type }: TarEntry, folder: Opened): void {
  const most = fileLimits.pathBytes
  if (path.length > most || folder.pathOf(path).length > most || target.length > most)
    throw refused(path, target.length > most ? "leads to a path" : "is a path", `of more than ${most} bytes`, most)
  const depth = fileLimits.treeDepth
  if (depthOf(path) > depth) throw refused(path, "is", `deeper than ${depth} folders`, depth)
  if (type === "link" && depthOf(target) > depth)
    throw refused(path, "leads to a file", `deeper than ${depth} folders`, depth)
}

function depthOf(path: BytePath): number {
  const names = namesOf(path)
  return typeof names === "string" ? 0 : names.length
}

function refused(path: BytePath, what: string, why: string, limit: number): SandboxAgentError {
  const shown = path.length > SHOWN_BYTES ? `${toText(path.slice(0, SHOWN_BYTES))}…` : toText(path)
  return new SandboxAgentError("invalid_request", `the entry ${shown} ${what} ${why}`, { limit })
}
