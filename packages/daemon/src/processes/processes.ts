import { join } from "node:path"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { processLimits } from "@sandbox-agent/schema/limits"
import type { ProcessConfig, ProcessInput, RunProcess, StartProcess } from "@sandbox-agent/schema/process"
import { Bounds } from "./bounds.ts"
import { earlier } from "./folder.ts"
import type { ProcessHost } from "./host.ts"
import { Ports } from "./ports.ts"
import { ManagedProcess } from "./process.ts"
import { bytesOf, runWhole } from "./run.ts"
import { RunStream } from "./run-stream.ts"
import { startOrRefuse, wordsOf } from "./wish.ts"

/** The processes that clients start. */
export class Processes {
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
  run(wish: RunProcess, signal: AbortSignal) {
    return runWhole(this.host, this.#bounds, wish, signal)
  }

  runStream(wish: RunProcess, signal: AbortSignal): RunStream {
    return new RunStream(this.host, this.#bounds, wish, signal)
  }

  async start(wish: StartProcess): Promise<ManagedProcess> {
    const leave = this.#bounds.enter()
    try {
      const words = await wordsOf(this.host, wish)
      const process = this.#begin(wish, words)
      void process.ended.then(leave)
      return process
    } catch (error) {
      leave()
      throw error
    }
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

  #begin(wish: StartProcess, words: Awaited<ReturnType<typeof wordsOf>>): ManagedProcess {
    const { host } = this
    const id = host.newId()
    const owner = `process:${id}`
    const [command = "", ...args] = words.command
    const record = {
      ...{ id, command, args, cwd: words.directory, tty: false, interactive: wish.interactive ?? false },
      ...{
        sessionId: wish.sessionId ?? undefined,
        createdAtMs: Date.now(),
        logBytes: this.config.maxLogBytesPerProcess,
      },
    }
    const process = new ManagedProcess(record, { folder: join(host.folder, id), log: host.log })
    process.open()
    try {
      const program = startOrRefuse(() =>
        host.starter.startProgram({
          ...words,
          ...{ owner, label: command },
          onOutput: (stream, bytes) => {
            process.wrote(stream, bytes)
            this.#ports.wrote()
          },
        }),
      )
      process.runs(program, () => (this.#stopping ? "daemon_stopped" : undefined))
    } catch (error) {
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
