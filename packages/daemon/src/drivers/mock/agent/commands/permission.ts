import type { Ask } from "../../protocol.ts"
import type { Call } from "../blocks.ts"
import { Interrupted } from "../interrupt.ts"
import type { Turn } from "../turn.ts"

type Request = Extract<Ask, { permission: unknown }>["permission"]

/** As other agents do it: the core decides what the session's mode allows. Only bypass is the agent's own. */
export const asksFirst = ({ agent }: Turn): boolean => agent.settings.permissionMode !== "bypass"

/** Asks whether a call may run. A refusal becomes its failed result, and the turn goes on. */
export async function allowed(turn: Turn, call: Call, permission: Request): Promise<boolean> {
  try {
    const answer = await turn.agent.asks.ask({ call: call.call, permission }, turn.signal)
    if (answer.kind === "permission" && answer.reply === "once") return true
    const message = "message" in answer ? answer.message : undefined
    turn.blocks.result(call, { text: message ? `Permission denied: ${message}` : "Permission denied.", isError: true })
    return false
  } catch (error) {
    if (error instanceof Interrupted) turn.blocks.result(call, { text: "Interrupted.", isError: true, cut: true })
    throw error
  }
}
