import type { AgentSettings, ToAgent, UserMessage } from "../protocol.ts"
import { attachmentNotes } from "./attachments.ts"
import { runSteps } from "./commands/run.ts"
import { Interrupted } from "./interrupt.ts"
import { parseScript } from "./script.ts"
import { type Agent, Turn, TurnFailed } from "./turn.ts"

type Outcome = { stop: "end_turn" | "cancelled" } | { stop: "error"; error: { code: string; message: string } }

/** One turn at a time: prompts wait for it, steered messages join it, an interrupt gives back what still waits. */
export class Conversation {
  private turn: Turn | undefined
  private prompts: UserMessage[] = []
  private steered: UserMessage[] = []
  /** Texts of the turns the agent wants to start by itself. */
  private readonly agentTexts: string[] = []
  private interrupts: number[] = []
  private ended: boolean = false

  constructor(
    private readonly agent: Agent,
    /** The conversation is over; nothing was left unsaid. */
    private readonly onEnd: () => void,
  ) {}

  receive(line: ToAgent): void {
    const { agent } = this
    switch (line.type) {
      case "prompt":
        this.prompts.push(line.message)
        this.next()
        break
      case "steer":
        if (this.turn) this.steered.push(line.message)
        agent.out.line({ type: "reply", request: line.request, accepted: this.turn !== undefined })
        break
      case "interrupt":
        this.interrupt(line.request)
        break
      case "answer":
        agent.asks.answer(line.id, line.answer)
        break
      case "configure":
        agent.settings = changed(agent.settings, line.settings)
        agent.out.line({ type: "reply", request: line.request, settings: agent.settings })
        break
      case "stop_background":
        agent.background.stopAll()
        agent.out.line({ type: "reply", request: line.request })
        break
      default:
        throw new Error(`Unknown line ${JSON.stringify(line)}`)
    }
  }

  /** Starts a turn of the agent's own as soon as there is none. */
  speak(text: string): void {
    this.agentTexts.push(text)
    this.next()
  }

  /** No more input: what runs is interrupted and the process ends. */
  end(): void {
    this.ended = true
    if (this.turn) this.turn.interrupt()
    else this.onEnd()
  }

  private interrupt(request: number): void {
    if (this.agent.hanging) return
    if (this.turn) {
      this.interrupts.push(request)
      this.turn.interrupt()
    } else {
      this.agent.out.line({ type: "reply", request })
    }
  }

  private next(): void {
    if (this.turn || this.ended) return
    const message = this.prompts.shift()
    const text = message ? undefined : this.agentTexts.shift()
    if (!message && text === undefined) return
    const turn = new Turn(this.agent, message ? "message" : "agent", () => this.takeSteered(turn))
    this.turn = turn
    void this.run(turn, message, text)
  }

  private async run(turn: Turn, message: UserMessage | undefined, text = ""): Promise<void> {
    this.agent.out.line({ type: "turn_start", turn: turn.id, origin: turn.origin })
    if (message) this.take(turn, message)
    else turn.steps.push({ kind: "text", text })
    const outcome = await this.outcome(turn)
    turn.blocks.cut()
    this.giveBack(outcome.stop === "cancelled" || turn.exiting)
    this.agent.remember({ type: "turn_end", turn: turn.id })
    this.agent.out.line({ type: "turn_end", turn: turn.id, ...outcome })
    this.turn = undefined
    for (const request of this.interrupts.splice(0)) this.agent.out.line({ type: "reply", request })
    if (turn.exiting) this.agent.out.line({ type: "ended" })
    this.ended ||= turn.exiting
    if (this.ended) this.onEnd()
    else this.next()
  }

  private async outcome(turn: Turn): Promise<Outcome> {
    try {
      await runSteps(turn)
      return { stop: "end_turn" }
    } catch (error) {
      if (error instanceof Interrupted) return { stop: "cancelled" }
      const { message } = error as Error
      const code = error instanceof TurnFailed ? "mock_error" : "mock_fault"
      this.agent.out.line({ type: "error", code, message })
      return { stop: "error", error: { code, message } }
    }
  }

  private take(turn: Turn, message: UserMessage): void {
    this.agent.out.line({ type: "taken", message: message.id })
    const { id, text, brief } = message
    this.agent.remember({ type: "user", message: id, text, ...(brief !== undefined && { brief }) })
    if (message.attachments.length > 0) turn.steps.push({ kind: "text", text: attachmentNotes(message.attachments) })
    turn.steps.push(...parseScript(message.text))
  }

  private takeSteered(turn: Turn): void {
    for (const message of this.steered.splice(0)) this.take(turn, message)
  }

  /** Steered messages belong to their turn; after an interrupt or `/exit` waiting prompts go back too. */
  private giveBack(prompts: boolean): void {
    const waiting = [...this.steered.splice(0), ...(prompts ? this.prompts.splice(0) : [])]
    for (const { id } of waiting) this.agent.out.line({ type: "returned", message: id })
  }
}

/** A new model begins with its own default variant. */
const changed = (settings: AgentSettings, patch: Partial<AgentSettings>): AgentSettings => ({
  ...settings,
  ...(patch.model !== undefined && { variant: undefined }),
  ...patch,
})
