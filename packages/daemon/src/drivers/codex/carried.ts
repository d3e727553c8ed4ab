import { join } from "node:path"
import { type CarriedRecord, type Host, MemoryGone, type NativeRef, type PlacedRecord } from "../../core/driver.ts"
import { headOf } from "../shared/carried-head.ts"
import { record, text } from "../shared/json.ts"
import { checkKept } from "../shared/kept-file.ts"
import { serverHomeOf, userHome } from "./server-home.ts"

const threadId = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** By its name, in the folder of the day it was begun on. */
async function rolloutOf(home: string, id: string): Promise<string | undefined> {
  if (!threadId.test(id)) return undefined
  const files = new Bun.Glob(`sessions/*/*/*/rollout-*-${id}.jsonl`).scan({ cwd: home, absolute: true })
  for await (const file of files) return file
  return undefined
}

export async function findRecord(ref: NativeRef, host: Host): Promise<string | undefined> {
  const { id = "", home } = ref
  await checkKept(ref, host)
  return rolloutOf(home === host.home ? userHome({}) : home, id)
}

export async function placeRecord(
  { id, bytes }: CarriedRecord,
  { env }: { env: Record<string, string> },
  host: Host,
): Promise<PlacedRecord> {
  const meta = record(headOf(bytes).payload)
  const moment = localTime(text(meta.timestamp) ?? "")
  if (!threadId.test(id) || meta.id !== id || moment === undefined)
    throw new MemoryGone(`it is no thread ${id} of Codex`)
  const ref: NativeRef = { id, home: host.home, durable: true }
  const { home } = await serverHomeOf({ kind: "adopt", ref }, env, host)
  const found = await rolloutOf(home, id)
  const name = `rollout-${moment.replaceAll(":", "-")}-${id}.jsonl`
  const [year = "", month = "", day = ""] = moment.split(/[-T]/)
  return { path: found ?? join(home, "sessions", year, month, day, name), bytes }
}

/** Codex names a thread by the time of its place, and its index may still know it by that name. */
function localTime(timestamp: string): string | undefined {
  const at = new Date(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(timestamp) ? timestamp : Number.NaN)
  if (Number.isNaN(at.getTime())) return undefined
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, "2026-11-18T15:25:10".length)
}
