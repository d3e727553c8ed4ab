import { until } from "../agents/processes.ts"
import type { Lane } from "./claude-lane.ts"
import { word } from "./claude-model.ts"

export interface Moment {
  /** The message whose turn is hit. */
  hit: string
  /** It may have ended by itself before the kill. */
  mayEnd?: boolean
  /** Messages behind it, which go to the next process. */
  queued?: string[]
  /** Done in the same moment as the kill. */
  meanwhile?(): Promise<void>
}

const some = (lane: Lane, most: number): number => 1 + Math.floor(lane.random() * most)

async function permission(lane: Lane): Promise<string> {
  return (await lane.until("permission.requested")).data.permission_id
}

async function spoken(lane: Lane, wish: "text" | "think"): Promise<string> {
  const count = some(lane, 20)
  const { messageId } = await lane.post(wish, count)
  const type = wish === "text" ? "text" : "reasoning"
  await lane.until("item.delta", ({ data }) => data.part.type === type && data.delta.includes(word(count)))
  return messageId
}

/** Each brings a session with a live agent to a moment of its turn. */
export const scenes = {
  async "while it starts"(lane) {
    lane.offset = (await lane.api.session(lane.id)).lastSequence
    await lane.strike()
    await lane.processLost()
    const { messageId } = await lane.post("hang")
    await lane.agent()
    // No event tells how far a start has come.
    await Bun.sleep(lane.random() * 600)
    return { hit: messageId }
  },
  async "while a message is on its way"(lane) {
    const { messageId } = await lane.post("hang")
    return { hit: messageId }
  },
  async "before the first token"(lane) {
    const { messageId, message } = await lane.post("hang")
    await lane.asked(message)
    return { hit: messageId }
  },
  "in the middle of a text": async (lane) => ({ hit: await spoken(lane, "text") }),
  "in the middle of thinking": async (lane) => ({ hit: await spoken(lane, "think") }),
  async "while a tool runs"(lane) {
    const { messageId } = await lane.post("run")
    await lane.api.ok("POST", `/v1/sessions/${lane.id}/permissions/${await permission(lane)}/reply`, { reply: "once" })
    await until(() => lane.carriers().some(({ name }) => name.startsWith("python")), "the tool's process")
    return { hit: messageId }
  },
  async "while a permission is open"(lane) {
    const { messageId } = await lane.post("ask")
    const path = `/v1/sessions/${lane.id}/permissions/${await permission(lane)}/reply`
    if (lane.random() < 0.5) return { hit: messageId }
    // An answer that crosses the death: taken, or too late.
    const meanwhile = async () => {
      const { status } = await lane.api.call("POST", path, { reply: "once" })
      if (![200, 409].includes(status)) throw new Error(`the answer to a dying agent: ${status}`)
    }
    return { hit: messageId, meanwhile, mayEnd: true }
  },
  async "while a question is open"(lane) {
    const { messageId } = await lane.post("question")
    await lane.until("question.requested")
    return { hit: messageId }
  },
  async "with messages in the queue"(lane) {
    const hit = await spoken(lane, "text")
    const queued: string[] = []
    for (const wish of ["say", "whole"] as const) queued.push((await lane.api.send(lane.id, lane.wish(wish))).messageId)
    return { hit, queued }
  },
  async "just after the end"(lane) {
    const { messageId } = await lane.post("say")
    await lane.ended(messageId)
    return { hit: messageId, mayEnd: true, meanwhile: async () => void (await lane.processLost()) }
  },
  async anywhere(lane) {
    const { messageId } = await lane.post("whole")
    await Bun.sleep(lane.random() * 600)
    return { hit: messageId, mayEnd: true }
  },
} satisfies Record<string, (lane: Lane) => Promise<Moment>>

export type SceneName = keyof typeof scenes
