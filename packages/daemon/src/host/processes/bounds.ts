import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { ProcessConfig } from "@sandbox-agent/schema/process"
import { processLimits } from "@sandbox-agent/schema/process-limits"

/** The bounds of processes, as clients may change them. */
export class Bounds {
  config: ProcessConfig = {
    maxConcurrentProcesses: processLimits.concurrent,
    defaultRunTimeoutMs: processLimits.runMs,
    maxRunTimeoutMs: processLimits.longestRunMs,
    maxOutputBytes: processLimits.outputBytes,
    maxLogBytesPerProcess: processLimits.logBytes,
    maxInputBytesPerRequest: processLimits.inputBytes,
  }
  #live = 0

  /** A time that nobody named is never longer than one that somebody may name. */
  change(config: ProcessConfig): ProcessConfig {
    const defaultRunTimeoutMs = Math.min(config.defaultRunTimeoutMs, config.maxRunTimeoutMs)
    this.config = { ...config, defaultRunTimeoutMs }
    return this.config
  }

  /** One more lives; whoever took the place gives it back. */
  enter(): () => void {
    const limit = this.config.maxConcurrentProcesses
    if (this.#live >= limit)
      throw new SandboxAgentError("conflict", `${limit} processes run already`, {
        limit,
        hint: "End one, or allow more with POST /v1/processes/config.",
      })
    this.#live++
    let left = false
    return () => {
      if (!left) this.#live--
      left = true
    }
  }

  runMs(given: number | null | undefined): number {
    const { defaultRunTimeoutMs, maxRunTimeoutMs } = this.config
    assertUpTo("timeoutMs", given ?? 0, maxRunTimeoutMs, "maxRunTimeoutMs")
    return given ?? defaultRunTimeoutMs
  }

  outputBytes(given: number | null | undefined): number {
    const { maxOutputBytes } = this.config
    assertUpTo("maxOutputBytes", given ?? 0, maxOutputBytes, "maxOutputBytes")
    return given ?? maxOutputBytes
  }
}

function assertUpTo(field: string, given: number, limit: number, setting: string): void {
  if (given <= limit) return
  throw new SandboxAgentError("invalid_request", `${field}: ${given} is more than ${limit}`, {
    limit,
    hint: `Ask for less, or allow more with \`${setting}\` of POST /v1/processes/config.`,
  })
}
