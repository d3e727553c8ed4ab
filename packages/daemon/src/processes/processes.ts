import type { ProcessConfig, RunProcess } from "@sandbox-agent/schema/process"
import { Bounds } from "./bounds.ts"
import type { ProcessHost } from "./host.ts"
import { runWhole } from "./run.ts"
import { RunStream } from "./run-stream.ts"

/** The processes that clients start. */
export class Processes {
  readonly #bounds = new Bounds()

  constructor(private readonly host: ProcessHost) {}

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
}
