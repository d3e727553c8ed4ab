import { isAbsolute } from "node:path"
import { acpAgentLimits } from "@sandbox-agent/schema/driver-limits"
import type { Host } from "../../core/driver.ts"
import type { Exit } from "../../core/driver-sink.ts"
import type { Child } from "../../core/supervisor.ts"
import { type Json, list, number, record, text } from "../shared/json.ts"
import { InvalidParams } from "./served.ts"
import { Tail } from "./tail.ts"

interface Terminal {
  child: Child
  output: Tail
  exit?: Exit
}

/** Commands that the agent has us run: real processes of the session, gone with it. */
export class Terminals {
  readonly #open = new Map<string, Terminal>()
  /** Which call of a tool shows which terminal. */
  readonly #shown = new Map<string, string>()
  #count = 0
  /** What a terminal has written just now. */
  onOutput: (terminalId: string, output: string) => void = () => {}

  constructor(
    private readonly owner: string,
    private readonly agent: string,
    private readonly directory: string,
    private readonly env: Readonly<Record<string, string>>,
    private readonly host: Host,
  ) {}

  shownBy(terminalId: string, toolId: string): void {
    if (!this.#open.has(terminalId) || this.#shown.has(terminalId)) return
    this.#shown.set(terminalId, toolId)
    const so = this.#open.get(terminalId)?.output.text
    if (so) this.onOutput(terminalId, so)
  }

  toolOf(terminalId: string): string | undefined {
    return this.#shown.get(terminalId)
  }

  create(params: Json): Json {
    const command = text(params.command)
    if (!command) throw new InvalidParams("command is missing")
    const cwd = text(params.cwd) ?? this.directory
    if (!isAbsolute(cwd)) throw new InvalidParams(`cwd: ${cwd} is not absolute`)
    if (this.#open.size >= acpAgentLimits.terminals)
      throw new InvalidParams(`more than ${acpAgentLimits.terminals} terminals`)
    const terminalId = `term-${++this.#count}`
    const { terminalBytes } = acpAgentLimits
    const limit = Math.trunc(Math.min(Math.max(number(params.outputByteLimit) ?? terminalBytes, 0), terminalBytes))
    const child = this.host.supervisor.spawn({
      owner: this.owner,
      label: `${this.agent} terminal`,
      command: shellWords(command, list(params.args).map(String)),
      directory: cwd,
      env: { ...this.env, ...variables(params.env) },
      onLine: (line) => this.#wrote(terminalId, `${line}\n`),
      onOversize: (head) => this.#wrote(terminalId, `${head}\n`),
      onExit: (exit) => {
        const terminal = this.#open.get(terminalId)
        if (terminal !== undefined) terminal.exit = exit
      },
    })
    // Nobody types.
    child.endInput()
    this.#open.set(terminalId, { child, output: new Tail(limit) })
    return { terminalId }
  }

  output(params: Json): Json {
    const { output, exit } = this.#get(params)
    return { output: output.text, truncated: output.truncated, ...(exit && { exitStatus: statusOf(exit) }) }
  }

  async wait(params: Json): Promise<Json> {
    return statusOf(await this.#get(params).child.exited)
  }

  async kill(params: Json): Promise<Json> {
    await this.#get(params).child.stop({ politeMs: 0 })
    return {}
  }

  async release(params: Json): Promise<Json> {
    const { child } = this.#get(params)
    const id = text(params.terminalId) ?? ""
    await child.stop({ politeMs: 0 })
    this.#open.delete(id)
    this.#shown.delete(id)
    return {}
  }

  /** With the session, or when its turn is cancelled. */
  async endAll(): Promise<void> {
    const left = [...this.#open.values()]
    await Promise.all(left.map(({ child }) => child.kill()))
  }

  #get(params: Json): Terminal {
    const found = this.#open.get(text(params.terminalId) ?? "")
    if (found === undefined) throw new InvalidParams(`no terminal ${String(params.terminalId)}`)
    return found
  }

  #wrote(terminalId: string, more: string): void {
    const terminal = this.#open.get(terminalId)
    if (terminal === undefined) return
    terminal.output.add(more)
    if (this.#shown.has(terminalId)) this.onOutput(terminalId, more)
  }
}

/** Both outputs in one, in their order. A line without arguments is one for a shell. */
function shellWords(command: string, args: readonly string[]): string[] {
  if (args.length === 0 && /[\s;&|<>$`"']/.test(command)) return ["/bin/sh", "-c", `exec 2>&1\n${command}`]
  return ["/bin/sh", "-c", 'exec "$0" "$@" 2>&1', command, ...args]
}

const variables = (env: unknown): Record<string, string> =>
  Object.fromEntries(
    list(env)
      .map(record)
      .map(({ name, value }) => [String(name), String(value)]),
  )

const statusOf = ({ code, signal }: Exit): Json => ({ exitCode: code ?? null, signal: signal ?? null })
