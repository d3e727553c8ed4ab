import type { AgentSettings } from "../protocol.ts"
import type { SessionRecord } from "../session-file.ts"
import type { Background } from "./background.ts"
import { Blocks } from "./blocks.ts"
import type { Ids } from "./ids.ts"
import { Interrupted, interruptible } from "./interrupt.ts"
import type { Output } from "./output.ts"
import type { PendingRequests } from "./pending-requests.ts"
import { type Step, words } from "./script.ts"

/** What the commands of every turn share. */
export interface Agent {
  readonly out: Output
  readonly ids: Ids
  readonly asks: PendingRequests
  readonly home: string
  readonly background: Background
  settings: AgentSettings
  /** Set by `/hang`: nothing polite ends the process any more. */
  hanging: boolean
  remember(record: SessionRecord): void
}

/** One running turn, as its commands see it. */
export class Turn {
  readonly id: string
  readonly steps: Step[] = []
  readonly blocks: Blocks
  private readonly abort = new AbortController()
  /** Set by `/exit`: the conversation ends with this turn. */
  exiting: boolean = false

  constructor(
    readonly agent: Agent,
    readonly origin: "message" | "agent",
    /** Takes the messages that were steered into this turn, if any wait. */
    readonly takeSteered: () => void,
  ) {
    this.id = agent.ids.next()
    this.blocks = new Blocks(agent.out, agent.ids)
  }

  get signal(): AbortSignal {
    return this.abort.signal
  }

  interrupt(): void {
    this.abort.abort(new Interrupted())
  }

  /** Something to wait for while the reader of our output is behind; else nothing, so that lines gather. */
  room(): Promise<void> | undefined {
    const behind = this.agent.out.behind()
    return behind && interruptible(behind, this.signal)
  }

  /** A text said at once. */
  say(text: string): void {
    this.blocks.whole({ kind: "text" }, text)
    this.agent.remember({ type: "assistant", text })
  }

  /** A text or reasoning streamed word by word. */
  async stream(kind: "text" | "reasoning", text: string): Promise<void> {
    const id = this.blocks.start({ kind })
    for (const word of words(text)) {
      this.blocks.delta(id, word)
      const room = this.room()
      if (room !== undefined) await room
    }
    this.blocks.end(id, { text })
    if (kind === "text") this.agent.remember({ type: "assistant", text })
  }
}

/** Ends the turn with an error of the agent's own. */
export class TurnFailed extends Error {}
