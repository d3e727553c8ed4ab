import { writeSync } from "node:fs"
import type { Ask, Verdict } from "./ask.ts"

/** Amp lets the tool run; it tells the model why not. Any other code ends its run. */
const ALLOW = 0
const REFUSE = 2

/**
 * The program that Amp asks before each tool: it tells the daemon over a socket of this session and waits, however long a
 * person takes. A daemon or a session that is gone closes the socket, and then the tool is refused.
 */
export async function runDelegate([socket = ""]: string[]): Promise<void> {
  // To its end, whatever comes: Amp dies of a delegate that does not read.
  const input = await Bun.stdin.text()
  const { AGENT_TOOL_NAME: tool = "unknown", AGENT_TOOL_USE_ID: call = "" } = process.env
  const verdict = await asked(socket, { tool, call, input: parsed(input) })
  if ("refuse" in verdict) writeSync(2, verdict.refuse)
  process.exit("allow" in verdict ? ALLOW : REFUSE)
}

const parsed = (input: string): Ask["input"] => {
  try {
    return JSON.parse(input) as Ask["input"]
  } catch {
    return {}
  }
}

async function asked(path: string, ask: Ask): Promise<Verdict> {
  const heard = Promise.withResolvers<Verdict>()
  const lost = (why: string) => heard.resolve({ refuse: `Nobody could be asked whether this tool may run: ${why}` })
  const line = Buffer.from(`${JSON.stringify(ask)}\n`)
  let sent = 0
  const decoder = new TextDecoder()
  let text = ""
  await Bun.connect({
    unix: path,
    socket: {
      open: (socket) => {
        sent = socket.write(line)
      },
      drain: (socket) => {
        sent += socket.write(line.subarray(sent))
      },
      data: (_, bytes) => {
        text += decoder.decode(bytes, { stream: true })
        if (text.endsWith("\n")) heard.resolve(JSON.parse(text) as Verdict)
      },
      close: () => lost("the session is gone"),
      error: (_, error) => lost(String(error)),
    },
  }).catch((error: unknown) => lost(String(error)))
  return heard.promise
}
