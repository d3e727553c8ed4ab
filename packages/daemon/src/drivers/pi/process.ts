import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import type { Host } from "../../core/driver.ts"
import type { Exit, LineSink } from "../../core/driver-sink.ts"
import type { Child } from "../../core/supervisor.ts"
import { readableLines } from "../shared/readable-lines.ts"
import { type Outcome, ReplyTable } from "../shared/reply-table.ts"
import type { ResponseLine } from "./native.ts"
import { piExited } from "./outcome.ts"

export interface Command {
  type: string
  [name: string]: unknown
}

export type OnReply = (outcome: Outcome<unknown>) => void

export interface Started {
  readonly child: Child
  /** `false`: nobody waits for this answer. */
  settle(line: ResponseLine): boolean
  write(line: object): Promise<void>
  /** Rejects when it is refused, or when the process ends first. `onReply` is called while the answer is being read. */
  command(command: Command, onReply?: OnReply): Promise<unknown>
}

interface Start {
  command: string[]
  owner: string
  directory: string
  sink?: Pick<LineSink, "sent">
  /** A line of stdout; without it only answers are read. */
  onLine?(raw: string): void
  /** One that is too long or too deep to be read, or its beginning. */
  onPassedOver?(raw: string, error: Error): void
  onExit?(exit: Exit): void
}

/** A running Pi and the commands it has yet to answer. */
export function startProcess(start: Start, env: Record<string, string>, host: Pick<Host, "supervisor">): Started {
  const replies = new ReplyTable<string, unknown>(() => crypto.randomUUID())
  const settle = ({ id, success, data, error = "no reason", command }: ResponseLine): boolean => {
    if (id === undefined) return false
    const refused = () => new SandboxAgentError("invalid_request", `Pi refused ${command}: ${error}`, { said: error })
    return replies.settle(id, success ? { result: data } : { error: refused() })
  }
  const { sink } = start
  const child = host.supervisor.spawn({
    owner: start.owner,
    label: "pi",
    command: start.command,
    directory: start.directory,
    env,
    endsWithOutput: true,
    ...readableLines(start.onLine ?? ((raw) => readReply(raw, settle)), start.onPassedOver),
    onExit(exit) {
      replies.close(piExited(exit))
      start.onExit?.(exit)
    },
  })
  const write = (line: object): Promise<void> => {
    const raw = JSON.stringify(line)
    sink?.sent(raw)
    return child.write(raw)
  }
  return {
    child,
    settle,
    write,
    command: (command, onReply) => replies.ask((id) => write({ id, ...command }), undefined, onReply).reply,
  }
}

function readReply(raw: string, settle: Started["settle"]): void {
  const line = parseOfAgent(raw) as { type?: string }
  if (line.type === "response") settle(line as ResponseLine)
}
