import type { Route } from "@sandbox-agent/schema/contract/route"
import type { Event } from "@sandbox-agent/schema/event"
import type { Call } from "./client.ts"
import type { Connection } from "./connection.ts"
import { cutOff, endedEarly } from "./cut-off.ts"
import { follow } from "./follow.ts"
import { line, note, out, paintFor, printable, terminalOf } from "./print.ts"
import type { SseFrame } from "./sse.ts"
import { Transcript } from "./transcript.ts"
import { exitOf } from "./turn-exit.ts"

/** One event of a stream, whatever stream it is. */
type Streamed = { type?: string; data?: Record<string, unknown>; session_id?: string; time?: string } & Record<
  string,
  unknown
>

export interface StreamOptions {
  readonly json: boolean
  readonly reconnect: boolean
}

/** Prints a stream as it comes, until it ends. */
export async function printStream(
  route: Route,
  connection: Connection,
  request: Call,
  options: StreamOptions,
): Promise<number> {
  const frames = follow(connection, request, {
    reconnect: options.reconnect,
    onDrop: (attempt) => {
      if (attempt === 0 && !options.json) void note("connection lost, connecting again…")
    },
    onConnect: (again) => {
      if (again && !options.json) void note("connected again")
    },
  })
  const terminal = terminalOf()
  const transcript = new Transcript(paintFor(terminal))
  const isOfFiles = route.id === "searchFs" || route.id === "watchFs"
  /** Those that have an end of their own say nothing good by merely ending. */
  let exit = route.id === "streamMessage" || route.id === "searchFs" ? undefined : 0
  let last = ""
  for await (const frame of frames) {
    const event = parse(frame)
    if (options.json) await line(oneLine(frame.data))
    else await out(isOfFiles ? `${printable(fileText(event))}\n` : textOf(frame, event, transcript))
    // The stream of one message ends with its turn; that of a session says nothing about the one that watches.
    if (route.method === "POST" && "source" in event) exit = exitOf(event as unknown as Event) ?? exit
    if (route.id === "searchFs" && event.type === "done") exit = 0
    last = frame.id
  }
  if (!options.json) await out(transcript.end())
  if (exit === undefined) throw cutOff(endedEarly, request, last)
  return exit
}

/** JSON in one line; what is not JSON goes as a JSON string. */
function oneLine(data: string): string {
  if (!data.includes("\n")) return data
  try {
    return JSON.stringify(JSON.parse(data))
  } catch {
    return JSON.stringify(data)
  }
}

function textOf(frame: SseFrame, event: Streamed, transcript: Transcript): string {
  if ("source" in event) return transcript.event(event as unknown as Event)
  const detail = event.data && Object.keys(event.data).length > 0 ? ` ${JSON.stringify(event.data)}` : ""
  return printable(`${event.time ?? ""}\t${event.type ?? frame.event}\t${event.session_id ?? ""}${detail}\n`)
}

/** A line of a search as `grep -n` prints it, or what became of a file. */
function fileText({ type, path, line, text, from, files, matches, truncated }: Streamed): string {
  switch (type) {
    case "match":
      return `${path}:${line}: ${text}`
    case "name":
      return String(path)
    case "done":
      return `${matches} found; files looked at: ${files}${truncated ? "; there are more" : ""}`
    default:
      return [type, from, path].filter((word) => word !== undefined).join("\t")
  }
}

function parse(frame: SseFrame): Streamed {
  try {
    return JSON.parse(frame.data) as Streamed
  } catch {
    return { type: frame.event, data: { text: frame.data } }
  }
}
