import type { Moment } from "./aftermath.ts"
import type { Lane } from "./lane.ts"

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
  "in the middle of a text": async (lane) => ({ hit: await lane.spoken("text") }),
  "in the middle of thinking": async (lane) => ({ hit: await lane.spoken("think") }),
  async "while a tool runs"(lane) {
    const { messageId } = await lane.post("run")
    await lane.api.ok("POST", await lane.permissionPath(), { reply: "once" })
    await lane.running()
    return { hit: messageId }
  },
  async "while a permission is open"(lane) {
    const { messageId } = await lane.post("ask")
    const path = await lane.permissionPath()
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
    const hit = await lane.spoken("text")
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
