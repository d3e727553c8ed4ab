import { writeFileSync } from "node:fs"
import { readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { processLimits } from "@sandbox-agent/schema/process-limits"
import type { Logger } from "../../core/context.ts"
import type { Program, ProgramExit, ProgramStream } from "../../core/supervisor.ts"
import { ProcessLog } from "./log.ts"
import type { Port } from "./ports.ts"
import { type EndReason, type ProcessRecord, writeRecord } from "./record.ts"
import type { LiveTerminal } from "./terminal/terminal.ts"

export interface ProcessFolder {
  folder: string
  log: Logger
}

/** A process that a client started: one that runs, or what is known of one that has ended. */
export class ManagedProcess {
  readonly ports: Port[] = []
  readonly ended: Promise<void>
  readonly #end = Promise.withResolvers<void>()
  #log: ProcessLog | Promise<ProcessLog> | undefined
  #program: Program | undefined

  constructor(
    readonly record: ProcessRecord,
    private readonly place: ProcessFolder,
  ) {
    this.ended = this.#end.promise
    if (record.exitedAtMs !== undefined) this.#end.resolve()
  }

  /** Of one with a terminal, while it runs. */
  terminal: LiveTerminal | undefined

  get program(): Program | undefined {
    return this.#program
  }

  get running(): boolean {
    return this.record.exitedAtMs === undefined
  }

  /** Unknown of one whose daemon was killed, until its log is read. */
  get sequences(): { firstSequence?: number | undefined; lastSequence?: number | undefined } {
    if (this.#log instanceof ProcessLog) return { firstSequence: this.#log.first, lastSequence: this.#log.last }
    const { firstSequence, lastSequence } = this.record
    return { firstSequence, lastSequence }
  }

  /** Of one that ended under another daemon it is read when it is asked for. */
  log(): ProcessLog | Promise<ProcessLog> {
    this.#log ??= ProcessLog.load(this.#logOptions()).then(
      (log) => {
        this.#log = log
        return log
      },
      (error: unknown) => {
        // Too many open files, or whatever it was, may be over when it is asked for again.
        this.#log = undefined
        throw error
      },
    )
    return this.#log
  }

  /** Before its program is there, so that nothing it writes is missed. */
  open(): ProcessLog {
    const log = new ProcessLog(this.#logOptions())
    this.#log = log
    writeRecord(this.place.folder, this.record)
    return log
  }

  /** `why`: what ends everything here, if something does. */
  runs(program: Program, why: () => EndReason | undefined): void {
    this.#program = program
    this.terminal?.runs(program)
    void program.exited.then((exit) => this.#ended(exit, why()))
  }

  wrote(stream: ProgramStream, bytes: Uint8Array): void {
    this.terminal?.output(bytes)
    if (!(this.#log instanceof ProcessLog)) return
    for (let at = 0; at < bytes.length; at += processLimits.logEntryBytes)
      this.#log.append(stream, bytes.subarray(at, at + processLimits.logEntryBytes))
  }

  /** A port that it begins or ends to listen on stands in its log, in the order of things. */
  portChanged(port: Port, state: "open" | "closed"): void {
    if (this.#log instanceof ProcessLog) this.#log.append("port", Buffer.from(JSON.stringify({ ...port, state })))
  }

  assertRunning(): Program {
    if (this.#program !== undefined && this.running) return this.#program
    throw new SandboxAgentError("conflict", `process ${this.record.id} has ended`)
  }

  async remove(): Promise<void> {
    if (this.#log instanceof ProcessLog) this.#log.close()
    await rm(this.place.folder, { recursive: true, force: true })
  }

  #ended({ code, signal }: ProgramExit, why: EndReason | undefined): void {
    const reason = why ?? (signal === undefined ? "exited" : "signal")
    Object.assign(this.record, { exitedAtMs: Date.now(), exitCode: code, signal, reason }, this.sequences)
    this.ports.length = 0
    try {
      this.#keepScreen()
      writeRecord(this.place.folder, this.record)
    } catch (error) {
      // Known as long as this daemon lives; the next one will say that it was killed.
      this.place.log("warn", "the end of a process could not be written down", { error: String(error) })
    }
    if (this.#log instanceof ProcessLog) this.#log.close()
    this.terminal?.end(code, signal)
    this.terminal = undefined
    this.#end.resolve()
  }

  /** The last screen of one that has ended, to be looked at later. */
  async lastScreen(): Promise<Buffer> {
    return readFile(this.#screenFile).catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return Buffer.alloc(0) // its daemon was killed
      throw error
    })
  }

  get #screenFile(): string {
    return join(this.place.folder, "screen")
  }

  #keepScreen(): void {
    if (this.terminal === undefined) return
    Object.assign(this.record, { ...this.terminal.size, title: this.terminal.title })
    writeFileSync(this.#screenFile, this.terminal.snapshot(), { mode: 0o600 })
  }

  #logOptions() {
    return { folder: this.place.folder, most: this.record.logBytes, log: this.place.log }
  }
}
