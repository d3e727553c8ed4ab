import type { FileHandle } from "node:fs/promises"
import { stat } from "node:fs/promises"
import { dirname } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"

/** Somebody whom files are opened for, and who may do less than we. */
export interface Reader {
  readonly name: string
  readonly uid: number
  readonly gid: number
  readonly groups: readonly number[]
}

const bits = { read: 4, write: 2, enter: 1 } as const

interface Modes {
  uid: number
  gid: number
  mode: number
}

/** What the modes of a file say, as the system reads them: the first class that fits decides. */
export function mayDo(reader: Reader, { uid, gid, mode }: Modes, what: keyof typeof bits): boolean {
  const shift = uid === reader.uid ? 6 : reader.groups.includes(gid) ? 3 : 0
  return ((mode >> shift) & bits[what]) !== 0
}

/** Whether this reader could have opened what we opened: the file itself, and every folder on the way to it. */
export async function assertReach(
  reader: Reader | undefined,
  handle: FileHandle,
  path: string,
  what: "read" | "write",
): Promise<void> {
  if (reader === undefined) return
  const folders: string[] = []
  for (let folder = dirname(path); !folders.includes(folder); folder = dirname(folder)) folders.push(folder)
  const enters = await Promise.all(folders.map(async (folder) => mayDo(reader, await stat(folder), "enter")))
  if (enters.every(Boolean) && mayDo(reader, await handle.stat(), what)) return
  throw new SandboxAgentError(
    "permission_denied",
    `${path} cannot be ${what === "read" ? "read" : "written"} by user ${reader.name}`,
  )
}

/** Whether this reader could have made something in a folder that is open. */
export async function assertMayMake(reader: Reader, folder: FileHandle, path: string): Promise<void> {
  const modes = await folder.stat()
  if (mayDo(reader, modes, "write") && mayDo(reader, modes, "enter")) return
  throw new SandboxAgentError("permission_denied", `${path} cannot be made by user ${reader.name}`)
}
