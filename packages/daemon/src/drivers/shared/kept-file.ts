import { type FileHandle, stat } from "node:fs/promises"
import { basename } from "node:path"
import { callLimits } from "@sandbox-agent/schema/driver-limits"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { type Host, type Kept, MemoryGone, type NativeRef } from "../../core/driver.ts"
import type { SessionSink } from "../../core/driver-sink.ts"
import { openRegular } from "../../files/regular-file.ts"

type Reach = Pick<Host, "reach">

/** Notes how much an agent has written of a session, so that a file that has lost some of it is known when it is to be resumed. */
export class KeptFile {
  /** By what the driver finds the last entry again. */
  last: string | undefined

  constructor(
    private readonly ref: NativeRef,
    private readonly sink: Pick<SessionSink, "session">,
    private readonly host: Reach,
    /** Where the agent writes it. */
    private readonly find: () => Promise<string | undefined> | string | undefined,
  ) {
    this.last = ref.kept?.last
  }

  get isNoted(): boolean {
    return this.ref.kept !== undefined
  }

  /** One `stat`, and beyond the first time nothing is read. Of a file that is gone stays noted what was in it. */
  async look(): Promise<void> {
    const file = await this.find()
    const bytes = file === undefined ? undefined : await sizeOf(file)
    if (file === undefined || !bytes) return
    const before = this.ref.kept?.file === file ? this.ref.kept : undefined
    const { last } = this
    if (before?.bytes === bytes && before.last === last) return
    // Not read anew: a file that was removed and begun again is not the one that it was.
    const begun = before === undefined ? await begunAt(file, this.host) : before.begun
    this.ref.kept = { file, bytes, begun, last }
    this.sink.session({ kept: this.ref.kept })
  }
}

/**
 * Throws `MemoryGone` where the file of a session has lost what was in it: agents go on with what is left, and say nothing.
 * `holds` reads it, and is asked where an agent may have written its file anew. One that is not there is the agent's to find.
 */
export async function checkKept(
  { id = "", kept }: NativeRef,
  host: Reach,
  holds: (kept: Kept) => Promise<boolean> = async () => false,
): Promise<Kept | undefined> {
  if (kept === undefined || !basename(kept.file).includes(id)) return undefined // of another session
  const found = await foundAt(kept.file, host)
  if (found === undefined) return undefined
  const { bytes, begun } = found
  const isOther = kept.begun !== undefined && begun !== undefined && begun !== kept.begun
  if (bytes >= kept.bytes && !isOther) return kept
  if (await holds(kept).catch(() => false)) return { ...kept, bytes, begun }
  throw new MemoryGone(
    isOther
      ? "its record of the session was begun anew, without what was said before"
      : "its record of the session has lost some of what was in it",
  )
}

const sizeOf = (file: string): Promise<number | undefined> =>
  stat(file).then(
    ({ size }) => size,
    () => undefined,
  )

/** As the agent's user sees it: what stands there may have been exchanged. */
async function foundAt(file: string, { reach }: Reach): Promise<Pick<Kept, "bytes" | "begun"> | undefined> {
  const handle = await openRegular(file, reach).catch((error: unknown) => {
    if (!SandboxAgentError.is(error)) throw error
    if (error.code === "not_found") return undefined
    throw new MemoryGone(error.detail)
  })
  if (handle === undefined) return undefined
  try {
    return { bytes: (await handle.stat()).size, begun: await begunIn(handle) }
  } finally {
    await handle.close()
  }
}

async function begunAt(file: string, { reach }: Reach): Promise<string | undefined> {
  const handle = await openRegular(file, reach).catch(() => undefined)
  if (handle === undefined) return undefined
  try {
    return await begunIn(handle)
  } finally {
    await handle.close()
  }
}

async function begunIn(handle: FileHandle): Promise<string | undefined> {
  try {
    const head = Buffer.allocUnsafe(callLimits.firstEntryBytes)
    const { bytesRead } = await handle.read(head, 0, head.length, 0)
    // Never in a string of the JSON: there the quotes are escaped.
    return /"timestamp":"([^"\\]+)"/.exec(head.toString("utf8", 0, bytesRead))?.[1]
  } catch {
    return undefined // a damaged disk, say: the agent finds out what is left
  }
}
