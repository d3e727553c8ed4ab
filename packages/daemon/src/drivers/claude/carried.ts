import { realpath } from "node:fs/promises"
import { join } from "node:path"
import { type CarriedRecord, type Host, MemoryGone, type NativeRef, type PlacedRecord } from "../../core/driver.ts"
import { checkKept } from "../shared/kept-file.ts"
import { settledFile } from "./fork.ts"
import { configHome, sessionFile, uuid } from "./home.ts"
import { holdsEntry } from "./transcript.ts"

export async function findRecord(ref: NativeRef, host: Host): Promise<string | undefined> {
  const { id = "", home } = ref
  await checkKept(ref, host, (kept) => holdsEntry(kept, host))
  return settledFile(home === host.home ? configHome({}) : home, id)
}

/** Among the sessions of the directory: Claude Code looks for a session nowhere else. */
export async function placeRecord(
  { id, bytes }: CarriedRecord,
  { directory, env }: { directory: string; env: Record<string, string> },
): Promise<PlacedRecord> {
  const home = configHome(env)
  if (!uuid.test(id) || !bytes.includes(`"sessionId":"${id}"`))
    throw new MemoryGone(`it is no session ${id} of Claude Code`)
  const found = await sessionFile(home, id)
  if (found !== undefined) return { path: found, bytes }
  const folder = (await realpath(directory)).replace(/[^a-zA-Z0-9]/g, "-")
  return { path: join(home, "projects", folder, `${id}.jsonl`), bytes }
}
