import { constants } from "node:os"
import { resolve } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Call } from "./client.ts"
import type { Connection } from "./connection.ts"
import { follow } from "./follow.ts"
import { isHere } from "./here.ts"
import { note, writeTo } from "./print.ts"

/** As `timeout` of coreutils says it. */
const LATE = 124

export interface ProgramEnd {
  exitCode: number | null
  signal: string | null
  timedOut?: boolean
}

/** Runs a program of the daemon as if it were ours: its output is our output, and its exit code ours. */
export async function runProgram(connection: Connection, request: Call): Promise<number> {
  for await (const { event, data } of follow(connection, request, { reconnect: false })) {
    if (event === "exit") return codeOf(JSON.parse(data) as ProgramEnd)
    if (event !== "log") continue
    const entry = JSON.parse(data) as { stream: string; data: string }
    const bytes = Buffer.from(entry.data, "base64")
    await writeTo(entry.stream === "stderr" ? process.stderr : process.stdout, bytes)
  }
  throw new SandboxAgentError("stream_error", "the connection broke, and the program was ended")
}

/** As a shell says it. */
export async function codeOf({ exitCode, signal, timedOut }: ProgramEnd): Promise<number> {
  if (timedOut) await note("the program took too long and was ended")
  if (timedOut) return LATE
  if (exitCode !== null) return exitCode
  // Nobody was there to see how it ended.
  const name = signal ?? "SIGKILL"
  await note(
    signal === null ? "the program was ended with its daemon, which was killed" : `the program was ended by ${name}`,
  )
  return 128 + (constants.signals[name as NodeJS.Signals] ?? 0)
}

/** A program runs where its command was given, if that is the same machine; `-` as input is ours. */
export async function asShellExit(
  connection: Connection,
  body: Record<string, unknown>,
  stdin: () => Promise<Uint8Array>,
): Promise<Record<string, unknown>> {
  const { cwd, sessionId } = body
  const local = isHere(connection) && sessionId === undefined
  const place = local ? { cwd: typeof cwd === "string" ? resolve(cwd) : process.cwd() } : {}
  const input =
    body.stdin === "-" ? { stdin: Buffer.from(await stdin()).toString("base64"), stdinEncoding: "base64" } : {}
  return { ...body, ...place, ...input }
}
