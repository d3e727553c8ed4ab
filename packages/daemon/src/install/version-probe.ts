import type { InstallLimits } from "@sandbox-agent/schema/limits"
import type { VersionProbeWait } from "../core/programs.ts"
import type { Supervisor } from "../core/supervisor.ts"
import type { AgentEntry } from "./entry.ts"
import { identityOf } from "./find.ts"
import { run, wordsOf } from "./run.ts"

/** How a program is started; for JavaScript that is our own executable and some environment. */
export interface Launch {
  command: readonly string[]
  env: Readonly<Record<string, string>>
}

export type ProbeResult = { version: string } | { error: string } | { pending: true }

/** Asks programs for their version, once for each file as it is, and never makes a list wait for a slow one. */
export class VersionProbe {
  readonly #known = new Map<string, { identity: string; answer: Promise<ProbeResult> }>()

  constructor(
    private readonly supervisor: Supervisor,
    private readonly bounds: InstallLimits,
  ) {}

  /** The answer, or `pending` when it takes longer than it is waited for; it is then there for the next one. */
  async ask(entry: AgentEntry, path: string, launch: Launch, probeWait?: VersionProbeWait): Promise<ProbeResult> {
    const identity = await identityOf(path).catch(() => undefined)
    if (identity === undefined) return { error: `${path} is gone` }
    let known = this.#known.get(path)
    if (known?.identity !== identity) {
      known = { identity, answer: this.run(entry, launch) }
      this.#known.set(path, known)
      const mine = known
      // A deadline under load says nothing about the program: asked again next time.
      void mine.answer.then((answer) => {
        if ("pending" in answer && this.#known.get(path) === mine) this.#known.delete(path)
      })
    }
    if (probeWait === "complete") return known.answer
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<ProbeResult>((resolve) => {
      timer = setTimeout(() => resolve({ pending: true }), probeWait === "skip" ? 0 : this.bounds.versionListMs)
    })
    return Promise.race([known.answer, late]).finally(() => clearTimeout(timer))
  }

  /** Without memory, waiting as long as a program may take. */
  async run(entry: AgentEntry, { command, env }: Launch, signal?: AbortSignal): Promise<ProbeResult> {
    let error = "it tells no version"
    for (const words of entry.versionCommands) {
      try {
        const result = await run(this.supervisor, {
          label: entry.agent,
          command: [...command, ...words],
          directory: "/",
          env: { ...env, ...entry.versionEnv },
          timeoutMs: this.bounds.versionMs,
          lines: this.bounds.versionOutputLines,
          signal,
        })
        if (result.timedOut) return { pending: true }
        const version = entry.versionPattern.exec(result.stdout.join("\n"))?.[0]
        if (result.exit.code === 0 && version !== undefined) return { version }
        error = wordsOf(result).slice(0, this.bounds.failureChars)
      } catch (failure) {
        return { error: failure instanceof Error ? failure.message : String(failure) }
      }
    }
    return { error }
  }
}
