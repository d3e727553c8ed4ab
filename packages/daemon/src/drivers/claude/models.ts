import type { SessionSink } from "../../core/driver-sink.ts"
import type { NativeModel } from "./native.ts"

/** Tells the core when the model changes without it: `/model`, or a fallback. */
export class Models {
  list: readonly NativeModel[] = []
  /** What `init` named last; unknown after a change of ours. */
  #seen: string | undefined

  constructor(
    private readonly sink: SessionSink,
    private chosen: string | undefined,
  ) {}

  get current(): string | undefined {
    return this.chosen
  }

  chose(model: string): void {
    this.chosen = model
    this.#seen = undefined
  }

  reported(model: string | undefined): void {
    if (model === undefined || model === this.#seen) return
    const first = this.#seen === undefined
    this.#seen = model
    if (first) return
    const known = this.list.find(({ value, resolvedModel }) => value !== "default" && resolvedModel === model)
    this.chosen = known?.value ?? model
    this.sink.session({ model: this.chosen })
  }
}
