import { Blocks, type Call } from "./blocks.ts"
import type { Ids } from "./ids.ts"
import type { Output } from "./output.ts"

/** Work that goes on without a turn: here a timer, with a call that waits for its real result. */
export class Background {
  private readonly works = new Map<Call, NodeJS.Timeout>()

  constructor(
    private readonly out: Output,
    private readonly ids: Ids,
    /** The agent has something to say about work that ended. */
    private readonly onDone: (text: string) => void,
  ) {}

  start(call: Call, ms: number): void {
    const timer = setTimeout(() => {
      this.finish(call, { text: `Finished after ${ms} ms.` })
      this.onDone(`Background work finished after ${ms} ms.`)
    }, ms)
    this.works.set(call, timer)
    this.tell()
  }

  stopAll(): void {
    for (const call of [...this.works.keys()]) this.finish(call, { text: "Stopped.", isError: true })
  }

  private finish(call: Call, end: { text: string; isError?: boolean }): void {
    clearTimeout(this.works.get(call))
    this.works.delete(call)
    new Blocks(this.out, this.ids).result(call, end)
    this.tell()
  }

  private tell(): void {
    this.out.line({ type: "background", count: this.works.size })
  }
}
