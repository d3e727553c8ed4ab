import { join } from "node:path"
import type { Moment } from "./assertions.ts"
import { ChaosSession } from "./chaos-session.ts"
import { ampDialect } from "./dialects.ts"
import { scenes } from "./scenes.ts"

/** One session with a real Amp, a process of its own. */
export class AmpChaosSession extends ChaosSession {
  readonly dialect = ampDialect
  readonly home = join(this.daemon.dataDir, "home")

  async create(): Promise<void> {
    await this.createWith({ agent: "amp", env: { HOME: this.home, AMP_URL: this.model.url, AMP_API_KEY: "dummy" } })
  }
}

/** It tells nothing of a text before that is whole: it is known to come once the model was asked. */
const speaking =
  (prompt: "text" | "think") =>
  async (session: AmpChaosSession): Promise<Moment> => {
    const { messageId, message } = await session.post(prompt, 10)
    await session.asked(message)
    await Bun.sleep(session.random() * 200)
    return { hit: messageId }
  }

const { "while a question is open": _, ...common } = scenes

/** Each brings a session with a live Amp to a moment of its turn. */
export const ampScenes: Record<string, (session: AmpChaosSession) => Promise<Moment>> = {
  ...common,
  "in the middle of a text": speaking("text"),
  "in the middle of thinking": speaking("think"),
  async "with messages in the queue"(session) {
    const { hit } = await speaking("text")(session)
    const queued: string[] = []
    for (const prompt of ["say", "whole"] as const)
      queued.push((await session.api.send(session.id, session.prompt(prompt))).messageId)
    return { hit, queued }
  },
}
