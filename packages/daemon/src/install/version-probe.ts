import type { InstallLimits } from "@sandbox-agent/schema/install-limits"
import type { VersionProbeWait } from "../core/programs.ts"
import type { Supervisor } from "../core/supervisor.ts"
import type { AgentEntry } from "./entry.ts"
import { identityOf } from "./find.ts"
import { packageOfScript, versionOfBuild } from "./package-version.ts"
import type { Platform } from "./platform.ts"
import { common } from "./platform-builds.ts"
import { run, wordsOf } from "./run.ts"
import { unnamedVersion } from "./version.ts"

/** How a program is started; for JavaScript that is our own executable and some environment. */
export interface Launch {
  command: readonly string[]
  env: Readonly<Record<string, string>>
  /** Of JavaScript alone: the Node that runs it, or nothing where our own executable does. */
  script?: { node: string | undefined }
}

export type ProbeResult = { version: string } | { error: string } | { pending: true }

/**
 * Finds the versions of programs, once for each file as it is, and never makes a list wait for a slow one. A program that
 * came with a package is not run for it: its `package.json` says the version, and running it takes as long as a start.
 */
export class VersionProbe {
  readonly #known = new Map<string, { identity: string; answer: Promise<ProbeResult> }>()

  constructor(
    private readonly supervisor: Supervisor,
    private readonly bounds: InstallLimits,
    private readonly platform: () => Platform,
  ) {}

  /** The answer, or `pending` when it takes longer than it is waited for; it is then there for the next one. */
  async ask(entry: AgentEntry, path: string, launch: Launch, probeWait?: VersionProbeWait): Promise<ProbeResult> {
    const identity = await identityOf(path).catch(() => undefined)
    if (identity === undefined) return { error: `${path} is gone` }
    let known = this.#known.get(path)
    if (known?.identity !== identity) {
      known = { identity, answer: this.#find(entry, path, launch) }
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

  async #find(entry: AgentEntry, path: string, launch: Launch): Promise<ProbeResult> {
    if (launch.script === undefined) {
      const version = await this.#versionOfBuild(path)
      return version === undefined ? this.run(entry, launch) : { version }
    }
    const packaged = await packageOfScript(path, this.bounds.metadataBytes).catch(() => undefined)
    const runs = packaged !== undefined && (await this.#suits(packaged.node, launch.script.node))
    return runs ? { version: packaged.version } : this.run(entry, launch)
  }

  async #versionOfBuild(path: string): Promise<string | undefined> {
    try {
      return await versionOfBuild(path, this.platform(), this.bounds.metadataBytes)
    } catch {
      // A platform that nobody builds for, or a file that went: the program is asked itself.
      return undefined
    }
  }

  /** Whether Node is one of those a package is for: one that is too old may not even read the script. */
  async #suits(range: string | undefined, node: string | undefined): Promise<boolean> {
    if (range === undefined || node === undefined) return true
    const answer = await this.ask(nodeItself, node, { command: [node], env: {} }, "complete")
    return "version" in answer && Bun.semver.satisfies(answer.version, range)
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

const nodeItself = {
  ...common,
  versionCommands: [["--version"]],
  agent: "node",
  binary: "node",
  tested: unnamedVersion,
  npm: [],
}
