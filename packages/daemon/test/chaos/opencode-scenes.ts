import type { Lane } from "./opencode-lane.ts"

export interface Moment {
  /** The message whose turn is hit; none: it is idle. */
  hit?: string
  /** It may have ended by itself before the kill. */
  mayEnd?: boolean
  /** Messages behind it, which go to the next server. */
  queued?: string[]
  /** Done in the same moment as the kill. */
  meanwhile?(): Promise<void>
}

/** Each brings a session to a moment of its turn. */
export const scenes = {
  "while it is idle": async () => ({}),
  async "while a message is on its way"(lane) {
    return { hit: (await lane.post("hang")).messageId }
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
    for (const wish of ["say", "say"] as const) queued.push((await lane.api.send(lane.id, lane.wish(wish))).messageId)
    return { hit, queued }
  },
  async "just after the end"(lane) {
    const { messageId } = await lane.post("say")
    await lane.ended(messageId)
    return { hit: messageId, mayEnd: true }
  },
} satisfies Record<string, (lane: Lane) => Promise<Moment>>

export type SceneName = keyof typeof scenes
