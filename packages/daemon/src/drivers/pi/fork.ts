import { dirname, join } from "node:path"
import { type Host, type Kept, MemoryGone } from "../../core/driver.ts"
import { type Json, text } from "../shared/json.ts"
import { writeNewLines } from "../shared/new-lines-file.ts"
import { entriesOf, headerOf } from "./session-file.ts"

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
  const begin = { ...header, id, timestamp, parentSession: file }
  await writeNewLines(copy, copied(begin, file, kept, host), host)
  return copy
}

async function* copied(
  begin: Json,
  file: string,
  kept: ReadonlySet<string>,
  host: Pick<Host, "reach">,
): AsyncGenerator<string> {
  yield JSON.stringify(begin)
  for await (const entry of entriesOf(file, host))
    if (kept.has(text(entry.id) ?? "") && entry.type !== "session") yield JSON.stringify(entry)
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

/** Whether what was last in it is there, with all that came before: Pi writes a session of an older version anew. */
export const holdsEntry = async ({ file, last }: Kept, host: Pick<Host, "reach">): Promise<boolean> =>
  last !== undefined && (await branchTo(file, last, host)).has(last)

const entryId = ({ type, id }: Json): string | undefined => (type === "session" ? undefined : text(id))
