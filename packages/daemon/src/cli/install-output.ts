import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Located } from "../install/locate.ts"
import type { InstallProgress } from "../install/progress.ts"
import { line, note, paintFor, printable, terminalOf } from "./print.ts"
import { report } from "./problem.ts"
import { ProgressPrinter } from "./progress.ts"
import { tabSeparated } from "./table.ts"

export type Installed = Pick<Located, "installed" | "version" | "path" | "source" | "launcher" | "note" | "notes">

/** Tells one install of one agent. */
export interface InstallOutput {
  progress(progress: InstallProgress): void
  done(found: Installed, notes: readonly string[]): Promise<void>
  /** Gives the exit code. */
  failed(error: unknown): Promise<number>
  /** Before anything else is written. */
  stopped(): Promise<void>
}

export const installOutput = (agent: string, json: boolean): InstallOutput =>
  json ? new JsonInstall(agent) : new TextInstall(agent)

/** The words of the HTTP stream, with the agent in each, since `all` is many installs in one stream. */
class JsonInstall implements InstallOutput {
  #downloaded = false

  constructor(private readonly agent: string) {}

  progress(progress: InstallProgress): void {
    if (progress.phase === "download") this.#downloaded = true
    void this.#line("install.progress", progress).catch(() => {})
  }

  async done({ installed, version, path, source }: Installed, notes: readonly string[]): Promise<void> {
    const withNotes = notes.length > 0 ? { notes } : {}
    await this.#line("install.done", { installed, version, path, source, downloaded: this.#downloaded, ...withNotes })
  }

  async failed(error: unknown): Promise<number> {
    const known = SandboxAgentError.is(error) ? error : new SandboxAgentError("internal", String(error))
    const { type: problem, ...rest } = known.toProblem()
    await this.#line("error", { problem, ...rest })
    return await report(error, true)
  }

  async stopped(): Promise<void> {}

  #line(type: string, fields: object): Promise<void> {
    return line(JSON.stringify({ type, agent: this.agent, ...fields }))
  }
}

class TextInstall implements InstallOutput {
  readonly #printer: ProgressPrinter
  #downloaded = false

  constructor(private readonly agent: string) {
    this.#printer = new ProgressPrinter(terminalOf(process.stderr), agent)
  }

  progress(progress: InstallProgress): void {
    if (progress.phase === "download") this.#downloaded = true
    void this.#printer.show(progress).catch(() => {})
  }

  async done(found: Installed, notes: readonly string[]): Promise<void> {
    await this.#printer.clear()
    const { version = "", source = "", path = "", launcher } = found
    for (const one of notes) await note(`${this.agent}: ${printable(one)}`)
    if (!process.stdout.isTTY) {
      await line(tabSeparated([[this.agent, version, source, path]]).trimEnd())
      return
    }
    const paint = paintFor(terminalOf())
    await line(
      `${paint("green", `${this.agent} ${version}`)} ${this.#how(found)}${path ? `: ${launcher ?? path}` : ""}`,
    )
  }

  async failed(error: unknown): Promise<number> {
    await this.#printer.clear()
    return await report(error, false)
  }

  stopped(): Promise<void> {
    return this.#printer.clear()
  }

  #how({ source }: Installed): string {
    if (source === "path") return "is on PATH already; --reinstall gets one for the daemon alone"
    if (source === undefined && !this.#downloaded) return "is part of sandbox-agent"
    return this.#downloaded ? "installed" : "was there already"
  }
}
