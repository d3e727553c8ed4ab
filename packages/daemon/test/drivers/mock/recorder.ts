import type { LineOutcome, Sink } from "../../../src/core/driver-sink.ts"

type Method = Exclude<keyof Sink, "line">
interface Calls extends Pick<{ [M in Method]: Parameters<Sink[M]> }, Method> {
  /** What the core makes of a line that threw, and of one that the driver does not know. */
  unparsed: [raw: string]
  unknown: [raw: string]
}
/** One call of the driver, in order. */
export type Call = { [N in keyof Calls]: { name: N; args: Calls[N] } }[keyof Calls]

const methods: Method[] = [
  ...(["sent", "turnStarted", "turnEnded", "taken", "returned", "open", "delta", "snapshot", "close"] as const),
  ...(["retry", "ask", "unask", "plan", "usage", "session", "status", "error", "background", "ended", "gone"] as const),
]

/** Keeps what a driver tells the core, and lets a test wait for it. */
export class Recorder {
  readonly calls: Call[] = []
  readonly lines: string[] = []
  readonly sink: Sink
  private waiters: (() => void)[] = []

  constructor() {
    const record = (name: Method) => [name, (...args: unknown[]) => this.add({ name, args } as Call)]
    this.sink = { ...Object.fromEntries(methods.map(record)), line: (raw, handle) => this.line(raw, handle) } as Sink
  }

  /** The calls of one kind, from an index on. */
  of<N extends keyof Calls>(name: N, from = 0): Calls[N][] {
    return this.calls.slice(from).flatMap((call) => (call.name === name ? [call.args as Calls[N]] : []))
  }

  index(match: (call: Call) => boolean, from = 0): number {
    return this.calls.findIndex((call, index) => index >= from && match(call))
  }

  /** Waits for a call that matches, at or after an index; gives its arguments. */
  async until<N extends keyof Calls>(
    name: N,
    match: (...args: Calls[N]) => boolean = () => true,
    from = 0,
  ): Promise<Calls[N]> {
    for (let next = from; ; ) {
      for (; next < this.calls.length; next++) {
        const call = this.calls[next]
        if (call?.name === name && match(...(call.args as Calls[N]))) return call.args as Calls[N]
      }
      await new Promise<void>((resolve) => this.waiters.push(resolve))
    }
  }

  private line(raw: string, handle: () => LineOutcome): void {
    this.lines.push(raw)
    try {
      if (handle() === "unknown") this.add({ name: "unknown", args: [raw] })
    } catch {
      this.add({ name: "unparsed", args: [raw] })
    }
  }

  private add(call: Call): void {
    this.calls.push(call)
    for (const wake of this.waiters.splice(0)) wake()
  }
}
