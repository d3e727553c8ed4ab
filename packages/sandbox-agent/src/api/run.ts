import { SandboxAgentError } from "../errors.ts"
import type { Limits } from "../limits.ts"
import type { BodyOf } from "../types.ts"
import { fromBase64, toBase64 } from "./base64.ts"
import { KeptText, type OmittedText } from "./kept-text.ts"
import type { Processes } from "./processes.ts"

/** A line for the shell, or a program and its arguments. */
export type Program = string | readonly [program: string, ...args: string[]]

export interface RunOptions {
  /** Absolute, or below the session's directory. */
  cwd?: string
  sessionId?: string
  /** Laid over what programs see of the daemon's environment. */
  env?: Record<string, string>
  /** Its whole input; without any it reads an empty one. */
  input?: string | Uint8Array
  /** Then all of it is ended, and `timedOut` says so. */
  timeoutMs?: number
  /** Ends the program with all it started. */
  signal?: AbortSignal
}

export interface RunExit {
  /** Null when a signal ended it. */
  exitCode: number | null
  signal: string | null
  timedOut: boolean
}

/** What a program writes, as it does, then how it ended. */
export type RunOutput = { type: "stdout" | "stderr"; text: string } | ({ type: "exit" } & RunExit)

/** What it returns means nothing, unless it is a promise. */
type Listener = (text: string) => unknown

export interface RunHandlers {
  /** What it writes, as it does. One that answers with a promise is waited for, and the program waits with it. */
  onStdout?: Listener
  onStderr?: Listener
}

export interface RunResult extends RunExit {
  /** Of output beyond `limits.outputChars` its beginning and its end. */
  stdout: string
  stderr: string
  stdoutOmitted?: OmittedText
  stderrOmitted?: OmittedText
}

export async function* runOutput(
  processes: Processes,
  program: Program,
  { signal, input, ...options }: RunOptions,
): AsyncGenerator<RunOutput, undefined> {
  const request: BodyOf<"runProcess"> = {
    ...options,
    ...(typeof program === "string" ? { shell: program } : { command: program[0], args: program.slice(1) }),
    ...(typeof input === "string" && { stdin: input }),
    ...(input instanceof Uint8Array && { stdin: toBase64(input), stdinEncoding: "base64" as const }),
  }
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }
  for await (const event of processes.runStream(request, { signal })) {
    if (event.type === "exit") {
      for (const type of ["stdout", "stderr"] as const) {
        // A letter that was begun and never ended.
        const text = decoders[type].decode()
        if (text !== "") yield { type, text }
      }
      const { exitCode, signal: by, timedOut = false } = event
      yield { type: "exit", exitCode, signal: by, timedOut }
    } else {
      const type = event.stream === "stderr" ? "stderr" : "stdout"
      const text = decoders[type].decode(fromBase64(event.data), { stream: true })
      if (text !== "") yield { type, text }
    }
  }
}

export async function run(
  processes: Processes,
  program: Program,
  { onStdout, onStderr, ...options }: RunOptions & RunHandlers,
  limits: Limits,
): Promise<RunResult> {
  const kept = { stdout: new KeptText(limits.outputChars), stderr: new KeptText(limits.outputChars) }
  const listeners = { stdout: onStdout, stderr: onStderr }
  for await (const output of runOutput(processes, program, options)) {
    if (output.type === "exit") {
      const { type: _, ...exit } = output
      const { stdout, stderr } = kept
      return {
        ...exit,
        stdout: stdout.text,
        stderr: stderr.text,
        ...(stdout.omitted && { stdoutOmitted: stdout.omitted }),
        ...(stderr.omitted && { stderrOmitted: stderr.omitted }),
      }
    }
    kept[output.type].add(output.text)
    await listeners[output.type]?.(output.text)
  }
  throw new SandboxAgentError("protocol", "Running a program: it was never told how it ended")
}
