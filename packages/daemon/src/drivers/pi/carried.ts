import { realpath } from "node:fs/promises"
import { join } from "node:path"
import { type CarriedRecord, type Host, MemoryGone, type NativeRef, type PlacedRecord } from "../../core/driver.ts"
import { endOfHead, headOf } from "../shared/carried-head.ts"
import { text } from "../shared/json.ts"
import { checkKept } from "../shared/kept-file.ts"
import { holdsEntry } from "./fork.ts"
import { findSession, sessionId, sessionsHome } from "./home.ts"

export async function findRecord(ref: NativeRef, host: Host): Promise<string | undefined> {
  const { id = "", home } = ref
  await checkKept(ref, host, (kept) => holdsEntry(kept, host))
  return findSession(home === host.home ? sessionsHome(host.environment({})) : home, id)
}

/** Pi works in the directory that stands in a session: that is the one it has here. */
export async function placeRecord(
  { id, bytes }: CarriedRecord,
  { directory, env }: { directory: string; env: Record<string, string> },
  host: Host,
): Promise<PlacedRecord> {
  const header = headOf(bytes)
  const begun = text(header.timestamp) ?? ""
  if (!sessionId.test(id) || header.id !== id || !/^[\dTZ:.-]+$/.test(begun))
    throw new MemoryGone(`it is no session ${id} of Pi`)
  const variables = host.environment(env)
  const home = sessionsHome(variables)
  const cwd = await realpath(directory)
  const placed = Buffer.concat([Buffer.from(JSON.stringify({ ...header, cwd })), bytes.subarray(endOfHead(bytes))])
  const found = await findSession(home, id)
  const folder = variables.PI_CODING_AGENT_SESSION_DIR ? "" : `--${cwd.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-")}--`
  return { path: found ?? join(home, folder, `${begun.replace(/[:.]/g, "-")}_${id}.jsonl`), bytes: placed }
}
