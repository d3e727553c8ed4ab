import type { Route } from "@sandbox-agent/schema/contract/route"
import { errorCodeOfType, SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Event } from "@sandbox-agent/schema/event"
import { answerText } from "./answer.ts"
import type { Call } from "./client.ts"
import type { Connection } from "./connection.ts"
import { follow } from "./follow.ts"
import { line, note, out, paintFor, printable, terminalOf } from "./print.ts"
import { type Progress, ProgressPrinter } from "./progress.ts"
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
  })
  if (route.id === "installAgent") return printInstall(frames)
  const terminal = terminalOf()
  const transcript = new Transcript(paintFor(terminal))
  let exit = 0
  for await (const frame of frames) {
    const event = parse(frame)
    if (options.json) await line(oneLine(frame.data))
    else await out(textOf(frame, event, transcript))
    // The stream of one message ends with its turn; that of a session says nothing about the one that watches.
    if (route.method === "POST" && "source" in event) exit = exitOf(event as unknown as Event) ?? exit
  }
  if (!options.json) await out(transcript.end())
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

function parse(frame: SseFrame): Streamed {
  try {
    return JSON.parse(frame.data) as Streamed
  } catch {
    return { type: frame.event, data: { text: frame.data } }
  }
}

/** The progress of an install on one line, and its end as an answer or an error. */
async function printInstall(frames: AsyncIterable<SseFrame>): Promise<number> {
  const printer = new ProgressPrinter(terminalOf(process.stderr))
  for await (const frame of frames) {
    const event = parse(frame)
    const type = event.type ?? frame.event
    const data = event.data ?? event
    if (type === "install.progress") {
      await printer.show(data as Progress)
      continue
    }
    await printer.clear()
    if (type === "error") throw installError(data)
    if (type === "install.done") {
      const { type: _, ...answer } = data
      await out(answerText(answer, terminalOf()))
      return 0
    }
  }
  throw new SandboxAgentError("stream_error", "the install stream ended without a result")
}

/** A problem whose own type stands in `problem`, since `type` names the event. */
function installError(data: Record<string, unknown>): SandboxAgentError {
  const { type: _, problem, detail, ...context } = data
  const code = typeof problem === "string" ? errorCodeOfType(problem) : undefined
  return new SandboxAgentError(code ?? "install_failed", String(detail ?? data.message ?? "no reason given"), context)
}
