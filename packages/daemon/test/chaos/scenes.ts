import type { Moment } from "./assertions.ts"
import type { ChaosSession } from "./chaos-session.ts"

/** Each brings a session with a live agent to a moment of its turn. */
export const scenes = {
  async "while it starts"(session) {
    session.offset = (await session.api.session(session.id)).lastSequence
    await session.strike()
    await session.processLost()
    const { messageId } = await session.post("hang")
    await session.agent()
    // No event tells how far a start has come.
    await Bun.sleep(session.random() * 600)
    return { hit: messageId }
  },
  async "while a message is on its way"(session) {
    const { messageId } = await session.post("hang")
    return { hit: messageId }
  },
  async "before the first token"(session) {
    const { messageId, message } = await session.post("hang")
    await session.asked(message)
    return { hit: messageId }
  },
  "in the middle of a text": async (session) => ({ hit: await session.spoken("text") }),
  "in the middle of thinking": async (session) => ({ hit: await session.spoken("think") }),
  async "while a tool runs"(session) {
    const { messageId } = await session.post("run")
    await session.api.ok("POST", await session.permissionPath(), { reply: "once" })
    await session.running()
    return { hit: messageId }
  },
  async "while a permission is open"(session) {
    const { messageId } = await session.post("ask")
    const path = await session.permissionPath()
    if (session.random() < 0.5) return { hit: messageId }
    // An answer that crosses the death: taken, or too late.
    const meanwhile = async () => {
      const { status } = await session.api.call("POST", path, { reply: "once" })
      if (![200, 409].includes(status)) throw new Error(`the answer to a dying agent: ${status}`)
    }
    return { hit: messageId, meanwhile, mayEnd: true }
  },
  async "while a question is open"(session) {
    const { messageId } = await session.post("question")
    await session.until("question.requested")
    return { hit: messageId }
  },
  async "with messages in the queue"(session) {
    const hit = await session.spoken("text")
    const queued: string[] = []
    for (const prompt of ["say", "whole"] as const)
      queued.push((await session.api.send(session.id, session.prompt(prompt))).messageId)
    return { hit, queued }
  },
  async "just after the end"(session) {
    const { messageId } = await session.post("say")
    await session.ended(messageId)
    return { hit: messageId, mayEnd: true, meanwhile: async () => void (await session.processLost()) }
  },
  async anywhere(session) {
    const { messageId } = await session.post("whole")
    await Bun.sleep(session.random() * 600)
    return { hit: messageId, mayEnd: true }
  },
} satisfies Record<string, (session: ChaosSession) => Promise<Moment>>

export type SceneName = keyof typeof scenes
