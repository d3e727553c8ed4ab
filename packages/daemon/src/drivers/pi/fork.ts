import { closeSync, openSync, rmSync, write } from "node:fs"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { type Host, MemoryGone } from "../../core/driver.ts"
import { type Json, text } from "../shared/json.ts"
import { entriesOf, headerOf } from "./session-file.ts"

/** Written at once; a line may be longer. */
const WRITE_CHARS = 256 * 1024

const writeTo = promisify(write)

/**
 * Copies a session up to an entry, under a new id, as Pi's own fork does; but that cuts only before a message of the user,
 * and `--fork` does not cut at all. Says where the copy is.
 */
export async function forkSession(
  file: string,
  at: string | undefined,
  id: string,
  host: Pick<Host, "asAgent" | "reach">,
): Promise<string> {
  const header = await headerOf(file, host)
  const kept = await branchTo(file, at, host)
  const timestamp = new Date().toISOString()
  const copy = join(dirname(file), `${timestamp.replace(/[:.]/g, "-")}_${id}.jsonl`)
  const made = host.asAgent(() => openSync(copy, "wx", 0o600))
  try {
    let lines = `${JSON.stringify({ ...header, id, timestamp, parentSession: file })}\n`
    const flush = async () => {
      const bytes = Buffer.from(lines)
      lines = ""
      for (let done = 0; done < bytes.length; )
        done += (await writeTo(made, bytes, done, bytes.length - done, null)).bytesWritten
    }
    for await (const entry of entriesOf(file, host)) {
      if (!kept.has(text(entry.id) ?? "") || entry.type === "session") continue
      lines += `${JSON.stringify(entry)}\n`
      if (lines.length >= WRITE_CHARS) await flush()
    }
    await flush()
  } catch (error) {
    // What cannot be copied whole leaves nothing.
    host.asAgent(() => rmSync(copy, { force: true }))
    throw error
  } finally {
    closeSync(made)
  }
  return copy
}

/** The ids of the entries from the first to this one, or to the last: a session is a tree. */
export async function branchTo(
  file: string,
  at: string | undefined,
  host: Pick<Host, "reach">,
): Promise<ReadonlySet<string>> {
  const parents = new Map<string, string | undefined>()
  let leaf: string | undefined
  for await (const entry of entriesOf(file, host)) {
    const id = entryId(entry)
    if (id === undefined) continue
    parents.set(id, text(entry.parentId))
    leaf = id
  }
  const branch = new Set<string>()
  for (let id = at ?? leaf; id !== undefined && !branch.has(id); id = parents.get(id)) {
    if (!parents.has(id)) throw new MemoryGone(`the session of Pi in ${file} has no entry ${id}`)
    branch.add(id)
  }
  return branch
}

const entryId = ({ type, id }: Json): string | undefined => (type === "session" ? undefined : text(id))
