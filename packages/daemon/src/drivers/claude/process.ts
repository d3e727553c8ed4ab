import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { parseOfAgent } from "@sandbox-agent/schema/json-depth"
import type { Host } from "../../core/driver.ts"
import type { Exit, LineSink } from "../../core/driver-sink.ts"
import type { Child } from "../../core/supervisor.ts"
import { readableLines } from "../shared/readable-lines.ts"
import { ReplyTable } from "../shared/reply-table.ts"
import { claudeExited } from "./exit.ts"
import type { ControlResponseLine } from "./native.ts"

export interface Started {
  readonly child: Child
  /** An answer to a request of ours; our own answers come back as echoes, and nobody waits for those. */
  settle(line: ControlResponseLine): void
  write(line: object): Promise<void>
  /** Rejects when it is refused, or when the process ends first. */
  request(request: ControlRequest, then?: (payload?: unknown) => void): Promise<unknown>
}

interface ControlRequest {
  subtype: string
  [name: string]: unknown
}

interface Start {
  command: string[]
  owner: string
  directory: string
  sink?: LineSink
  /** A line of stdout; without it only answers to requests are read. */
  onLine?(raw: string): void
  /** One that is too long or too deep to be read, or its beginning. */
  onPassedOver?(raw: string, error: Error): void
  onExit?(exit: Exit): void
}

/** A running Claude Code and the control requests it has yet to answer. */
export function startProcess(start: Start, env: Record<string, string>, host: Host): Started {
  const replies = new ReplyTable<string, unknown>(() => crypto.randomUUID())
  const settle = ({ response }: ControlResponseLine): void => {
    const { request_id: id, subtype, error = "no reason", response: result } = response
    const refused = () => new SandboxAgentError("invalid_request", `Claude Code refused: ${error}`)
    replies.settle(id, subtype === "error" ? { error: refused() } : { result })
  }
  const { sink } = start
  const child = host.supervisor.spawn({
    owner: start.owner,
    label: "claude",
    command: start.command,
    directory: start.directory,
    env,
    endsWithOutput: true,
    ...readableLines(start.onLine ?? ((raw) => readReply(raw, settle)), start.onPassedOver),
    onExit(exit) {
      replies.close(claudeExited(exit))
      start.onExit?.(exit)
    },
  })
  // Claude Code dies of a line that is not JSON: nothing else is ever written.
  const write = (line: object): Promise<void> => {
    const raw = JSON.stringify(line)
    sink?.sent(raw)
    return child.write(raw)
  }
  return {
    child,
    settle,
    write,
    request(request, then) {
      const send = (id: string) => write({ type: "control_request", request_id: id, request })
      return replies.ask(send, undefined, (outcome) => then?.("result" in outcome ? outcome.result : undefined)).reply
    },
  }
}

function readReply(raw: string, settle: Started["settle"]): void {
  const line = parseOfAgent(raw) as { type?: string }
  if (line.type === "control_response") settle(line as ControlResponseLine)
}
