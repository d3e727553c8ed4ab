import { codexLimits } from "@sandbox-agent/schema/driver-limits"
import type { SessionSink } from "../../core/driver-sink.ts"
import type { Line, Params } from "./native.ts"

const STATUS = "mcpServer/startupStatus/updated"

/** The MCP servers of one thread. Codex begins a turn without those that are still starting, and reports the status of each. */
export class McpServers {
  /** Those that have neither started nor failed. */
  readonly #due: Set<string>
  /** Codex has said something of them: an older one tells nothing. */
  #heard = false
  #wake: (() => void)[] = []

  /** `given`: with the session; those that the user has configured are known when they are told. */
  constructor(
    given: Iterable<string>,
    private readonly bounds: Readonly<Record<"mcpStartMs" | "mcpStatusMs", number>> = codexLimits,
  ) {
    this.#due = new Set(given)
  }

  /** Whether this line was about one of them. */
  receive({ method, params = {} }: Line, sink: SessionSink): boolean {
    if (method !== STATUS) return false
    const { name = "", status } = params
    this.#heard = true
    if (status === "starting") this.#due.add(name)
    else this.#due.delete(name)
    reportStatus(sink, params)
    this.#changed()
    return true
  }

  /** The thread is where it was, and so are they; or it is gone. */
  settled(): void {
    this.#due.clear()
    this.#changed()
  }

  /** Resolves when all have started or failed. What takes too long is not waited for again. */
  async started(signal: AbortSignal): Promise<void> {
    const { mcpStatusMs, mcpStartMs } = this.bounds
    const all = () => this.#due.size === 0
    await this.#until(() => all() || this.#heard, mcpStatusMs, signal)
    if (this.#heard) await this.#until(all, mcpStartMs, signal)
    if (!signal.aborted) this.#due.clear()
  }

  async #until(holds: () => boolean, ms: number, signal: AbortSignal): Promise<void> {
    if (holds()) return
    let late = false
    const timer = setTimeout(() => {
      late = true
      this.#changed()
    }, ms)
    signal.addEventListener("abort", this.#changed)
    while (!holds() && !late && !signal.aborted) await new Promise<void>((resolve) => this.#wake.push(resolve))
    signal.removeEventListener("abort", this.#changed)
    clearTimeout(timer)
  }

  readonly #changed = (): void => {
    for (const wake of this.#wake.splice(0)) wake()
  }
}

export function reportStatus(sink: SessionSink, { name, status, error }: Params): void {
  if (status === "failed") sink.mcpFailed(name ?? "", String(error ?? "no reason"))
}
