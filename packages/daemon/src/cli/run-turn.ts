import type { Event } from "@sandbox-agent/schema/event"
import { footerText } from "./chat/footer.ts"
import type { Connection } from "./connection.ts"
import { cutOff, endedEarly } from "./cut-off.ts"
import { follow } from "./follow.ts"
import { line, note, out, paintFor, terminalOf } from "./print.ts"
import { terminalPrompt } from "./prompt.ts"
import { type AskOptions, PendingRequests } from "./run-asks.ts"
import { Transcript } from "./transcript.ts"
import { exitOf } from "./turn-exit.ts"

export interface TurnOptions extends AskOptions {
  readonly message: string
  readonly onInterrupt: () => void
}

/** Sends the message, prints the turn as it comes, answers what is asked, and gives the exit code. */
export async function streamTurn(connection: Connection, options: TurnOptions): Promise<number> {
  const request = {
    method: "POST",
    path: `/v1/sessions/${encodeURIComponent(options.session)}/messages/stream`,
    body: { message: options.message },
  } as const
  const person = process.stdin.isTTY ? terminalPrompt(options.onInterrupt) : undefined
  const transcript = new Transcript(paintFor(terminalOf()), { sent: true, asked: person !== undefined })
  const asks = new PendingRequests(connection, options, person)
  let began = Date.now()
  let footer = ""
  let exit: number | undefined
  let last = ""
  try {
    for await (const frame of follow(connection, request, { reconnect: false })) {
      const event = JSON.parse(frame.data) as Event
      if (options.json) await line(frame.data)
      else await out(transcript.event(event))
      asks.see(event)
      if (event.type === "turn.started") began = Date.parse(event.time)
      if (event.type === "turn.ended") footer = footerText(event.data, Date.parse(event.time) - began)
      exit = exitOf(event) ?? exit
      last = frame.id
    }
    if (!options.json) await out(transcript.end())
    if (exit === undefined) throw cutOff(endedEarly, request, last)
    // For people: what is read by programs is on stdout.
    if (!options.json && process.stderr.isTTY && footer !== "")
      await note(paintFor(terminalOf(process.stderr))("dim", `— ${footer}`))
    return exit
  } finally {
    asks.end()
    person?.close()
  }
}
