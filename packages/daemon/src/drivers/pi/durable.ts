import type { NativeRef } from "../../core/driver.ts"
import type { LineSink, SessionSink } from "../../core/driver-sink.ts"
import { isThere } from "../shared/is-there.ts"

/** Whether the file of a session is there: what is not on disk yet could not be resumed if Pi were killed now. */
export class Durable {
  /** As Pi names it when it starts; it is written with the first answer. */
  file: string | undefined

  constructor(
    private readonly ref: NativeRef,
    private readonly sink: Pick<LineSink, "after"> & Pick<SessionSink, "session">,
  ) {}

  look(): void {
    if (!this.ref.durable) this.sink.after(this.onDisk(), (found) => found && this.#note())
  }

  async onDisk(): Promise<boolean> {
    return this.file !== undefined && (await isThere(this.file))
  }

  #note(): void {
    if (this.ref.durable) return
    this.ref.durable = true
    this.sink.session({ durable: true })
  }
}
