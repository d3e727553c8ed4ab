import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { RunProcess } from "@sandbox-agent/schema/process"
import type { Program, ProgramExit, ProgramOptions, ProgramStream } from "../../core/supervisor.ts"
import type { Bounds } from "./bounds.ts"
import { HeadTail } from "./head-tail.ts"
import type { ProcessHost } from "./host.ts"
import { programStartOf, startOrRefuse } from "./program-request.ts"
import { textOf } from "./text.ts"

/** How a run ended. */
export interface RunEnd {
  exitCode: number | null
  signal: string | null
  timedOut: boolean
  durationMs: number
}

export interface RunHooks {
  /** What nobody waits for any more is ended. */
  signal: AbortSignal
  onStart?(): void
  onOutput: ProgramOptions["onOutput"]
  gate?: ProgramOptions["gate"]
  /** Without one it may take as long as it takes. */
  timeoutMs: number | undefined
}

/** Starts a program and is over when it has ended with all it started; its input is given whole. */
export async function run(host: ProcessHost, bounds: Bounds, request: RunProcess, hooks: RunHooks): Promise<RunEnd> {
  const input = inputOf(request)
  const leave = bounds.enter()
  try {
    const words = await programStartOf(host, request)
    if (hooks.signal.aborted) throw gone()
    const [label = ""] = words.command
    const startedAt = performance.now()
    const program = startOrRefuse(() =>
      host.starter.startProgram({
        ...words,
        ...{ owner: "run", label, onOutput: hooks.onOutput, gate: (stream) => hooks.gate?.(stream) },
      }),
    )
    hooks.onStart?.()
    feed(program, input)
    const { exit, timedOut } = await endOf(program, hooks)
    return {
      exitCode: timedOut ? null : (exit.code ?? null),
      signal: exit.signal ?? null,
      timedOut,
      durationMs: Math.round(performance.now() - startedAt),
    }
  } finally {
    leave()
  }
}

/** The same with what it wrote. */
export async function runWhole(host: ProcessHost, bounds: Bounds, request: RunProcess, signal: AbortSignal) {
  const most = bounds.outputBytes(request.maxOutputBytes)
  const timeoutMs = bounds.runMs(request.timeoutMs)
  const kept = { stdout: new HeadTail(most), stderr: new HeadTail(most) }
  const onOutput = (stream: ProgramStream, bytes: Uint8Array) => {
    if (stream !== "pty") kept[stream].push(bytes)
  }
  const end = await run(host, bounds, request, { signal, onOutput, timeoutMs })
  const encoding = request.encoding ?? "utf8"
  const { stdout, stderr } = kept
  return {
    ...end,
    stdout: textOf(stdout, encoding),
    stderr: textOf(stderr, encoding),
    stdoutTruncated: stdout.omitted !== undefined,
    stderrTruncated: stderr.omitted !== undefined,
    stdoutBytes: stdout.bytes,
    stderrBytes: stderr.bytes,
    stdoutOmitted: stdout.omitted,
    stderrOmitted: stderr.omitted,
    encoding,
  }
}

async function endOf(
  program: Program,
  { timeoutMs, signal }: RunHooks,
): Promise<{ exit: ProgramExit; timedOut: boolean }> {
  let timedOut = false
  const kill = () => void program.kill()
  const late = () => {
    timedOut = true
    kill()
  }
  const timer = timeoutMs === undefined ? undefined : setTimeout(late, timeoutMs)
  signal.addEventListener("abort", kill, { once: true })
  const exit = await program.exited
  clearTimeout(timer)
  signal.removeEventListener("abort", kill)
  return { exit, timedOut }
}

/** A program need not read what it is given. */
function feed(program: Program, input: Uint8Array): void {
  if (input.length > 0) program.write(input).catch(() => undefined)
  program.endInput()
}

function inputOf({ stdin, stdinEncoding }: RunProcess): Uint8Array {
  return stdin == null ? new Uint8Array(0) : bytesOf("stdin", stdin, stdinEncoding ?? "utf8")
}

/** Strictly: of what is not base64 some decoders read the beginning. */
export function bytesOf(field: string, text: string, encoding: "utf8" | "base64"): Uint8Array {
  if (encoding === "utf8") return Buffer.from(text)
  const bytes = Buffer.from(text, "base64")
  if (bytes.toString("base64").replace(/=+$/, "") !== text.replace(/\s+/g, "").replace(/=+$/, ""))
    throw new SandboxAgentError("invalid_request", `${field}: not base64`)
  return bytes
}

const gone = () => new SandboxAgentError("invalid_request", "the client has left")
