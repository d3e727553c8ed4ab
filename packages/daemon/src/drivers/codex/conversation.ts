import type { Host, NativeRef } from "../../core/driver.ts"
import type { LineOutcome, Sink } from "../../core/driver-sink.ts"
import { isThere } from "../shared/is-there.ts"
import { KeptFile } from "../shared/kept-file.ts"
import { Children } from "./children.ts"
import type { McpServers } from "./mcp-servers.ts"
import type { Line, Opened, TurnFailure } from "./native.ts"
import { PendingRequests } from "./pending-requests.ts"
import { receive } from "./receive.ts"
import type { Rollout } from "./rollout.ts"
import { isDeciding } from "./rules.ts"
import type { Listener, Server } from "./server.ts"
import { Thread } from "./thread.ts"
import type { ThreadMember } from "./thread-member.ts"
import { Turns } from "./turns.ts"

/** Whom it tells what decides whether the session leaves its server. */
type Member = Pick<ThreadMember, "turnEnded" | "unloaded">

/** All there is to know of one open session: its thread, the threads below it, its turn, what is asked. */
export class Conversation implements Listener {
  readonly main: Thread
  readonly turns: Turns
  readonly asks: PendingRequests
  readonly children: Children
  readonly kept: KeptFile
  /** What the turn failed of, as it was told before its end. */
  failure: TurnFailure | undefined
  /** All changes of the turn; repeated with each change, and shown once. */
  diff: string | undefined
  closed = false

  constructor(
    readonly sink: Sink,
    readonly server: Server,
    readonly ref: NativeRef,
    private readonly opened: Opened,
    /** Where it does not tell raw items as they come. */
    private readonly rollout: Rollout | undefined,
    readonly member: Member,
    readonly mcp: McpServers,
    host: Pick<Host, "reach">,
    directory: string,
  ) {
    this.main = new Thread(sink, opened.thread.id)
    this.turns = new Turns(sink)
    this.asks = new PendingRequests(sink, server, (path) => isDeciding(path, directory, ref.home))
    this.kept = new KeptFile(ref, sink, host, () => opened.thread.path ?? undefined)
    this.children = new Children(sink, (thread) => server.listen(thread, this))
  }

  get working(): boolean {
    return (
      !this.turns.isIdle || this.threads.some(({ turn, commands }) => turn !== undefined || commands.detached.size > 0)
    )
  }

  get threads(): Thread[] {
    return [this.main, ...this.children.threads]
  }

  receive(line: Line): LineOutcome {
    return receive(this, line)
  }

  unread(id: number | string): void {
    this.asks.resolved(id)
  }

  threadOf(id: string | null | undefined): Thread | undefined {
    return id === this.main.id ? this.main : this.children.get(id)
  }

  /** Calls that never became items come first, where the server does not tell of them. */
  afterCalls(then: () => void): void {
    if (this.rollout === undefined) return then()
    this.sink.after(this.rollout.calls(), (calls = []) => {
      for (const item of calls) this.main.raw.take(item)
      then()
    })
  }

  /** Its file comes with the first turn: before, there is nothing that could be resumed. */
  noteDurable(): void {
    if (this.ref.durable) return
    this.sink.after(this.isOnDisk(), (found) => {
      if (!found || this.ref.durable) return
      this.ref.durable = true
      this.sink.session({ durable: true })
    })
  }

  isOnDisk(): Promise<boolean> {
    return isThere(this.opened.thread.path ?? "")
  }

  /** What goes on without a turn of the session's own. */
  countBackground(idle = this.turns.active === undefined): void {
    const commands = this.threads.reduce((sum, { commands }) => sum + commands.detached.size, 0)
    const agents = idle ? this.children.threads.filter(({ turn }) => turn !== undefined).length : 0
    this.sink.background(commands + agents)
  }
}
