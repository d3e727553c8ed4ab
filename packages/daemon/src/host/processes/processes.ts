import { join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type {
  ProcessConfig,
  ProcessInput,
  RunProcess,
  StartProcess,
  StartTerminal,
} from "@sandbox-agent/schema/process"
import { processLimits } from "@sandbox-agent/schema/process-limits"
import type { TerminalSize } from "../../core/supervisor.ts"
import { Bounds } from "./bounds.ts"
import { earlier } from "./folder.ts"
import type { ProcessHost } from "./host.ts"
import { Ports } from "./ports.ts"
import { ManagedProcess } from "./process.ts"
import { type ProgramStart, programStartOf, startOrRefuse } from "./program-request.ts"
import { bytesOf, runWhole } from "./run.ts"
import { RunStream } from "./run-stream.ts"
import { LiveTerminal } from "./terminal/terminal.ts"
import { Tickets } from "./terminal/tickets.ts"

/** What programs look at to know what their terminal can do: that of the daemon, if it has one, is another. */
const terminalVariables = { TERM: "xterm-256color", COLORTERM: "truecolor" }

/** The processes that clients start. */
export class Processes {
  readonly tickets = new Tickets()
  readonly #bounds = new Bounds()
  readonly #all = new Map<string, ManagedProcess>()
  readonly #ports: Ports
  #stopping = false

  constructor(private readonly host: ProcessHost) {
    this.#ports = new Ports(() => host.listeners(), host.log)
    for (const process of earlier(host.folder, host.log)) this.#all.set(process.record.id, process)
  }

  get config(): ProcessConfig {
    return this.#bounds.config
  }

  configure(config: ProcessConfig): ProcessConfig {
    return this.#bounds.change(config)
  }

  /** Over when it has ended; ended when nobody waits for it any more. */
  run(request: RunProcess, signal: AbortSignal) {
    return runWhole(this.host, this.#bounds, request, signal)
  }

  runStream(request: RunProcess, signal: AbortSignal): RunStream {
    return new RunStream(this.host, this.#bounds, request, signal)
  }

  async start(request: StartProcess): Promise<ManagedProcess> {
    const leave = this.#bounds.enter()
    try {
      const words = await programStartOf(this.host, request)
      const size = { cols: request.cols ?? 80, rows: request.rows ?? 24 }
      const terminal = request.tty ? await LiveTerminal.open(size) : undefined
      const process = this.#begin(request, words, terminal)
      void process.ended.then(leave)
      return process
    } catch (error) {
      leave()
      throw error
    }
  }

  /** A process with a terminal; without a program the shell of the user. */
  startTerminal(request: StartTerminal): Promise<ManagedProcess> {
    const command = request.command == null && request.shell == null ? this.host.starter.userShell : request.command
    return this.start({ ...request, command, tty: true })
  }

  /** Throws when it has no terminal. */
  getTerminal(id: string): ManagedProcess {
    const process = this.get(id)
    if (process.record.tty) return process
    throw new SandboxAgentError("conflict", `process ${id} has no terminal`)
  }

  resize(id: string, size: TerminalSize): TerminalSize {
    const process = this.getTerminal(id)
    process.assertRunning()
    process.terminal?.resize(size)
    return process.terminal?.size ?? size
  }

  /** In the order of their start. */
  list(): ManagedProcess[] {
    return [...this.#all.values()]
  }

  get(id: string): ManagedProcess {
    const found = this.#all.get(id)
    if (found === undefined) throw new SandboxAgentError("not_found", `there is no process ${id.slice(0, 64)}`)
    return found
  }

  async write(id: string, { data, encoding, end }: ProcessInput): Promise<number> {
    const program = this.get(id).assertRunning()
    const bytes = bytesOf("data", data ?? "", encoding == null || encoding === "base64" ? "base64" : "utf8")
    const limit = this.config.maxInputBytesPerRequest
    if (bytes.length > limit)
      throw new SandboxAgentError("payload_too_large", `data has ${bytes.length} bytes, more than ${limit}`, { limit })
    if (bytes.length > 0) await program.write(bytes)
    if (end === true) program.endInput()
    return bytes.length
  }

  async delete(id: string, force: boolean): Promise<void> {
    const process = this.get(id)
    if (process.running && !force)
      throw new SandboxAgentError("conflict", `process ${id} still runs`, {
        hint: "Stop or kill it first, or delete it with `force=true`.",
      })
    await process.program?.kill()
    await process.ended
    this.#all.delete(id)
    await process.remove()
  }

  /** From here on whatever ends is ended by us. */
  stop(): void {
    this.#stopping = true
  }

  #begin(request: StartProcess, words: ProgramStart, terminal: LiveTerminal | undefined): ManagedProcess {
    const { host } = this
    const id = host.newId()
    const owner = `process:${id}`
    const [command = "", ...args] = words.command
    const record = {
      ...{
        id,
        command,
        args,
        cwd: words.directory,
        tty: terminal !== undefined,
        interactive: request.interactive ?? false,
      },
      ...{
        sessionId: request.sessionId ?? undefined,
        createdAtMs: Date.now(),
        logBytes: this.config.maxLogBytesPerProcess,
        ...terminal?.size,
      },
    }
    const process = new ManagedProcess(record, { folder: join(host.folder, id), log: host.log })
    process.terminal = terminal
    try {
      process.open()
      const program = startOrRefuse(() =>
        host.starter.startProgram({
          ...words,
          ...{ owner, label: command, terminal: terminal?.size },
          env: terminal === undefined ? words.env : { ...terminalVariables, ...words.env },
          onOutput: (stream, bytes) => {
            process.wrote(stream, bytes)
            this.#ports.wrote()
          },
        }),
      )
      process.runs(program, () => (this.#stopping ? "daemon_stopped" : undefined))
    } catch (error) {
      terminal?.end(undefined, undefined)
      void process.remove()
      throw error
    }
    this.#all.set(id, process)
    this.#ports.watch(owner, process)
    void process.ended.then(() => {
      this.#ports.forget(owner)
      return this.#forgetOld()
    })
    return process
  }

  /** So many that have ended are kept. */
  async #forgetOld(): Promise<void> {
    const ended = this.list().filter(({ running }) => !running)
    ended.sort((a, b) => (a.record.exitedAtMs ?? 0) - (b.record.exitedAtMs ?? 0))
    for (const process of ended.slice(0, Math.max(0, ended.length - processLimits.endedProcesses))) {
      this.#all.delete(process.record.id)
      await process.remove()
    }
  }
}
