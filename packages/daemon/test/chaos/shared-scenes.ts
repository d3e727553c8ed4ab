import type { Moment } from "./assertions.ts"
import type { ChaosSession } from "./chaos-session.ts"
import { scenes } from "./scenes.ts"

/** Moments of sessions that share a server: it is killed for all of them, and none of them starts or ends it. */
export const sharedScenes = {
  "while it is idle": async () => ({}),
  "while a message is on its way": scenes["while a message is on its way"],
  "before the first token": scenes["before the first token"],
  "in the middle of a text": scenes["in the middle of a text"],
  "in the middle of thinking": scenes["in the middle of thinking"],
  "while a tool runs": scenes["while a tool runs"],
  "while a permission is open": scenes["while a permission is open"],
  "while a question is open": scenes["while a question is open"],
  async "with messages in the queue"(session) {
    const hit = await session.spoken("text")
    const queued: string[] = []
    for (const prompt of ["say", "say"] as const)
      queued.push((await session.api.send(session.id, session.prompt(prompt))).messageId)
    return { hit, queued }
  },
  async "just after the end"(session) {
    const { messageId } = await session.post("say")
    await session.ended(messageId)
    return { hit: messageId, mayEnd: true }
  },
} satisfies Record<string, (session: ChaosSession) => Promise<Moment>>

export type SharedSceneName = keyof typeof sharedScenes
