import type { Applied } from "@sandbox-agent/schema/session"
import type { Native, OutMessage, Settings } from "../../core/driver.ts"
import type { Conversation } from "./conversation.ts"
import { inputOf } from "./input.ts"
import { type Policy, policyOf } from "./policy.ts"
import { Refused } from "./refused.ts"
import { type Choices, hasTerminals } from "./settings.ts"
import { slashOf } from "./slash.ts"
import { stopCommands } from "./terminals.ts"

/** The open conversation as the core uses it. */
export class NativeSession implements Native {
  #interrupts = 0
  /** Aborted by the next interrupt. */
  #going = new AbortController()
  /** Of the turn that runs or ran last. */
  #policy: Policy | undefined
  readonly #hasTerminals: boolean

  constructor(
    private readonly c: Conversation,
    private readonly choices: Choices,
    /** Gives the thread back to its server, politely or now. */
    private readonly leave: (now: boolean) => Promise<void>,
  ) {
    this.#hasTerminals = hasTerminals(choices.settings.permissionMode)
  }

  get ref() {
    return this.c.ref
  }

  async send(message: OutMessage): Promise<void> {
    const { server, sink, turns, main } = this.c
    const before = this.#interrupts
    const { permissionMode } = this.choices.settings
    if (this.#hasTerminals && permissionMode !== "bypass") await this.#endTerminals()
    const policy = policyOf(permissionMode, permissionMode === "plan" && (await server.sandboxes()))
    const models = await server.models()
    await this.c.mcp.started(this.#going.signal)
    if (this.#interrupts !== before) {
      sink.returned(message.id)
      return sink.turnEnded({ stop: "cancelled" })
    }
    this.#policy = policy
    const slash = slashOf(message)
    turns.sending(message.id, { command: slash !== undefined })
    const threadId = main.id
    try {
      // A review has no settings of its own, and may come before any turn that told them.
      if (slash?.method === "review/start") {
        const params = this.choices.turnParams(models, policy)
        await server.request("thread/settings/update", { threadId, ...params }, { sink })
        this.choices.told(params)
        await server.request(slash.method, { threadId, ...slash.params }, { sink })
      } else if (slash !== undefined) await server.request(slash.method, { threadId }, { sink })
      else {
        if (message.brief !== undefined) sink.briefed(message.id)
        const sent = { threadId, input: inputOf(message), clientUserMessageId: message.id }
        const params = this.choices.turnParams(models, policy)
        await server.request("turn/start", { ...sent, ...params }, { sink })
        this.choices.told(params)
      }
    } catch (error) {
      turns.unsent(message.id)
      throw error
    }
  }

  async steer(message: OutMessage): Promise<boolean> {
    const { server, sink, turns, main } = this.c
    const expectedTurnId = turns.active
    if (expectedTurnId === undefined || main.ending) return false
    turns.sending(message.id, { steered: true })
    const params = { threadId: main.id, expectedTurnId, input: inputOf(message), clientUserMessageId: message.id }
    try {
      await server.request("turn/steer", params, { sink })
      return true
    } catch (error) {
      turns.unsent(message.id)
      if (error instanceof Refused) return false // it ended just now, or is one that takes no messages
      throw error
    }
  }

  /** Never for a thread at rest: Codex would answer only when some later turn ends. */
  async interrupt(): Promise<void> {
    const { turns } = this.c
    this.#interrupts += 1
    this.#going.abort()
    this.#going = new AbortController()
    await turns.until(() => turns.active !== undefined || turns.isIdle)
    if (turns.active !== undefined) this.#interruptTurn(this.c.main.id, turns.active)
    for (const { id, turn } of this.c.children.threads) if (turn !== undefined) this.#interruptTurn(id, turn)
    await turns.until(() => turns.isIdle)
  }

  /** Confirmed by the end of the turn. */
  #interruptTurn(threadId: string, turnId: string): void {
    const { server, sink } = this.c
    server.request("turn/interrupt", { threadId, turnId }, { sink }).catch(() => undefined)
  }

  answer: Native["answer"] = (key, answer) => this.c.asks.answer(key, answer)

  async configure(patch: Partial<Settings>): Promise<Applied> {
    const models = await this.c.server.models()
    const { permissionMode } = patch
    if (this.#hasTerminals && permissionMode !== undefined && permissionMode !== "bypass") {
      this.choices.check(patch, models)
      // It asks from its next turn on; terminals go with the thread.
      this.choices.change({ permissionMode }, models)
      return "reopen"
    }
    this.choices.change(patch, models)
    if (this.c.turns.isIdle) return "now"
    const permissionOnly = Object.keys(patch).every((name) => name === "permissionMode")
    // Whoever is asked for everything decides anew at once; Codex itself changes with the next turn.
    return permissionOnly && this.#policy?.approvalPolicy === "untrusted" ? "now" : "next_turn"
  }

  async stopBackground(): Promise<void> {
    const { children, threads } = this.c
    for (const { id, turn } of children.threads) if (turn !== undefined) this.#interruptTurn(id, turn)
    const idle = threads.filter((thread) => thread.commands.detached.size > 0)
    await Promise.allSettled(idle.map((thread) => stopCommands(this.c, thread)))
  }

  /** Those that were opened in `bypass`, where nobody is asked for what is typed into them. */
  async #endTerminals(): Promise<void> {
    const ended = this.c.threads.map((thread) => stopCommands(this.c, thread, thread.commands.withoutInput))
    await Promise.allSettled(ended)
  }

  async close(): Promise<void> {
    await this.leave(false)
    await this.c.kept.look()
  }

  kill(): Promise<void> {
    return this.leave(true)
  }
}
