import { PuppetStage } from "./puppet-stage.ts"

/** A call as an agent asks for it. */
export type Asked = Record<string, unknown>

export const yes = { optionId: "yes", name: "Yes", kind: "allow_once" }
export const no = { optionId: "no", name: "No", kind: "reject_once" }

export const text = (said: string) => ({ content: [{ type: "content", content: { type: "text", text: said } }] })

/** An agent that asks whether it may, and says what it was told. */
export class AskingStage extends PuppetStage {
  #calls = 0
  /** What a person was shown last. */
  shown: object | undefined

  /** What the agent was told, as it says. */
  async ask(asked: Asked, reply?: "once" | "always" | "reject", options: readonly object[] = [yes, no]) {
    const before = this.of("permission.requested").length
    const toolCall = { toolCallId: `call-${++this.#calls}`, ...asked }
    const turn = this.play({ request: "session/request_permission", params: { toolCall, options } })
    const permission = await this.permission(before + 1)
    this.shown = permission.detail
    if (permission.by === undefined && reply !== undefined) await this.reply(permission.permission_id, reply)
    await turn
    const said = this.transcript().findLast((line) => line.startsWith("assistant: ")) ?? ""
    const told = JSON.parse(said.slice("assistant: ".length)).outcome as { outcome: string; optionId?: string }
    const { status, by, reason } = this.of("permission.resolved").at(-1)?.data ?? {}
    return { permission, told: told.optionId ?? told.outcome, logged: `${status} by ${by}`, reason }
  }

  async always(asked: Asked): Promise<object | undefined> {
    await this.ask(asked, "always")
    return this.shown
  }

  async isAsked(asked: Asked): Promise<boolean> {
    const { permission } = await this.ask(asked, "reject")
    return permission.by === undefined
  }
}
