import type { SessionSink } from "../../core/driver-sink.ts"

/** The name a session has until it gets one. */
const unnamed = /^(New session|Child session) - \d{4}-/

/** Tells the core what OpenCode calls a session, when that changes. */
export class Titles {
  constructor(
    private readonly sink: SessionSink,
    private title: string,
  ) {}

  reported(title: string): void {
    if (title === this.title) return
    this.title = title
    if (!unnamed.test(title)) this.sink.session({ title })
  }
}
