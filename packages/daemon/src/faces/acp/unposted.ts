import type { CallRow } from "../../store/acp-rows.ts"

/** A prompt that is no message yet: its attachments are still on their way. A cancel finds it nowhere else. */
export class Unposted {
  #isCancelled = false
  readonly #cancelled = Promise.withResolvers<"cancelled">()

  constructor(
    readonly call: CallRow,
    /** Of its session. */
    readonly uid: number,
  ) {}

  cancel(): void {
    this.#isCancelled = true
    this.#cancelled.resolve("cancelled")
  }

  /** In the moment it would become a message. */
  assertWanted(): void {
    if (this.#isCancelled) throw new Error("the prompt was cancelled before it was sent")
  }

  /** What comes of its posting, or that it was cancelled before. */
  orCancelled<T>(posting: Promise<T>): Promise<T | "cancelled"> {
    return Promise.race([posting, this.#cancelled.promise])
  }
}
