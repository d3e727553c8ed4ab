import { constants } from "node:fs"
import { lstat, open, readdir } from "node:fs/promises"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { fileLimits } from "@sandbox-agent/schema/file-limits"
import { type BytePath, byBytes, ofBuffer, toText } from "./byte-path.ts"
import { isDraft } from "./draft-name.ts"
import type { Fence } from "./fence.ts"
import { FOLDER, Opened, openIn } from "./opened.ts"
import { codeOf, on, systemError } from "./system-error.ts"

/** The names in a folder that is open, sorted, drafts left out. One that was removed since has none. */
export async function namesIn(folder: Opened): Promise<BytePath[]> {
  return (await allNamesIn(folder)).filter((name) => !isDraft(name))
}

/** Also what is not whole yet. */
export async function allNamesIn(folder: Opened): Promise<BytePath[]> {
  const names = (await readdir(folder.self, { encoding: "buffer" }).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return []
    throw systemError(folder.path, error)
  })) as unknown as Buffer[]
  return names.map(ofBuffer).sort(byBytes)
}

export const isFolder = async (folder: Opened, name: BytePath): Promise<boolean> =>
  lstat(folder.at(name)).then(
    (stats) => stats.isDirectory(),
    (error: unknown) => (codeOf(error) === "ENOENT" ? false : on(folder.pathOf(name), Promise.reject(error))),
  )

/** A folder inside one that is open; `undefined`: by now it is none, or it is not served. */
export async function enter(fence: Fence, folder: Opened, name: BytePath): Promise<Opened | undefined> {
  if (!fence.allows(folder.pathOf(name))) return undefined
  return openIn(fence, folder, name, FOLDER).catch((error: unknown) => {
    if (SandboxAgentError.is(error) && error.code === "not_found") return undefined
    throw error
  })
}

/** The same folder again, to be closed by somebody else. */
export async function again(folder: Opened): Promise<Opened> {
  const handle = await on(folder.path, open(folder.self, constants.O_RDONLY | FOLDER))
  return new Opened(handle, folder.path)
}

export function assertDepth(depth: number, path: BytePath): void {
  if (depth <= fileLimits.treeDepth) return
  throw new SandboxAgentError(
    "invalid_request",
    `${toText(path)} is deeper than ${fileLimits.treeDepth} folders below what was named`,
    { limit: fileLimits.treeDepth },
  )
}
