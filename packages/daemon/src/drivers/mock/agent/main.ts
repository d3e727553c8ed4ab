import { randomUUID } from "node:crypto"
import { writeSync } from "node:fs"
import type { ToAgent } from "../protocol.ts"
import { Background } from "./background.ts"
import { commandList } from "./commands/table.ts"
import { Conversation } from "./conversation.ts"
import { Ids } from "./ids.ts"
import { readLines } from "./input.ts"
import { parseOptions } from "./options.ts"
import { Output } from "./output.ts"
import { PendingRequests } from "./pending-requests.ts"
import { Transcript } from "./transcript.ts"
import type { Agent } from "./turn.ts"

/** After the end of input: how long a reader that no longer reads may hold us. */
const LAST_WORDS_MS = 250

/** The scripted agent: reads lines from stdin, writes lines to stdout, until its input ends. */
export function runMockAgent(argv: readonly string[]): void {
  try {
    start(argv)
  } catch (error) {
    die(error)
  }
}

function start(argv: readonly string[]): void {
  const options = parseOptions(argv)
  const session = options.resume ?? randomUUID()
  const transcript = new Transcript(options, session)
  const [out, ids] = [new Output(), new Ids()]
  let exitCode = 0
  const agent: Agent = {
    out,
    ids,
    home: options.home,
    settings: options.settings,
    hanging: false,
    asks: new PendingRequests(out, ids),
    background: new Background(out, ids, (text) => conversation.speak(text)),
    remember(record) {
      if (transcript.add(record)) out.line({ type: "session", durable: true })
    },
  }
  const conversation = new Conversation(agent, () => void out.flush().then(() => process.exit(exitCode)))

  const leave = (code: number) => {
    if (agent.hanging) return
    exitCode = code
    conversation.end()
    setTimeout(() => process.exit(code), LAST_WORDS_MS)
  }
  process.stdout.on("error", () => leave(1))
  process.on("SIGTERM", () => leave(143))
  process.on("SIGINT", () => leave(130))
  process.on("SIGHUP", () => leave(129))
  const receive = (line: string) => {
    try {
      conversation.receive(JSON.parse(line) as ToAgent)
    } catch (error) {
      die(error)
    }
  }
  readLines(receive, () => leave(0))
  out.line({ type: "ready", session, durable: transcript.durable, commands: commandList })
}

function die(error: unknown): never {
  writeSync(2, `mock-agent: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}

if (import.meta.main) runMockAgent(process.argv.slice(2))
