import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

export interface NativeLine {
  type: string
  properties?: {
    sessionID?: string
    info?: { id: string; role?: string; parentID?: string; sessionID?: string }
  }
}

/** One line of a transcript: a request of the host of then, its answer, an event, or a remark. */
export interface Entry {
  kind: "request" | "response" | "sse" | "note" | "sse-closed" | "response-error"
  method?: string
  path?: string
  status?: number
  note?: string
  body?: { id?: string; [name: string]: unknown }
  event?: NativeLine | { directory?: string; payload: NativeLine }
}

const folder = fileURLToPath(new URL("../../fixtures/opencode/", import.meta.url))

export const transcripts = readdirSync(folder)
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => name.replace(/\.jsonl$/, ""))

export const recorded = (name: string): Entry[] =>
  readFileSync(`${folder}${name}.jsonl`, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Entry)

/** The event without the envelope that only the stream of all directories has. */
export const nativeLine = ({ event }: Entry): NativeLine | undefined =>
  event === undefined ? undefined : "payload" in event ? event.payload : event

/** The user's message that a prompt became: the first new one of its session before the next prompt there. */
export function userMessageOf(entries: readonly Entry[], at: number, session: string): string | undefined {
  const before = new Set(entries.slice(0, at).flatMap((entry) => userMessage(entry, session) ?? []))
  for (const entry of entries.slice(at + 1)) {
    if (isPrompt(entry) && entry.path?.includes(session)) return undefined
    const id = userMessage(entry, session)
    if (id !== undefined && !before.has(id)) return id
  }
  return undefined
}

export const isPrompt = ({ kind, method, path }: Entry): boolean =>
  kind === "request" && method === "POST" && /^\/session\/[^/]+\/(prompt_async|message|command)$/.test(path ?? "")

function userMessage(entry: Entry, session: string): string | undefined {
  const line = nativeLine(entry)
  const info = line?.type === "message.updated" ? line.properties?.info : undefined
  return info?.role === "user" && info.sessionID === session ? info.id : undefined
}
