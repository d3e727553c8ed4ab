import { MemoryGone, type OutMessage } from "../../src/core/driver.ts"
import type { Behaviour, Opening } from "./puppet.ts"
import type { Stage } from "./stage.ts"

/** Forgets every session it is to continue, while it is told to. */
export const forgetful = (when: () => boolean = () => true): Behaviour => ({
  open: async ({ options }: Opening) => {
    if (options.from.kind !== "new" && when()) throw new MemoryGone("no such conversation")
  },
})

export async function turn(stage: Stage, message: string, answer: string): Promise<OutMessage> {
  const id = await stage.running(message)
  stage.say(() => {
    stage.sink.open({ key: `a-${id}`, kind: "message" })
    stage.sink.close(`a-${id}`, { status: "completed", content: [{ type: "text", text: answer }] })
    stage.sink.turnEnded({ stop: "end_turn" })
  })
  return lastSent(stage)
}

export const lastSent = (stage: Stage): OutMessage => {
  const sent = stage.puppet.asked.findLast((asked) => asked.call === "send")
  if (sent?.call !== "send") throw new Error("nothing was sent")
  return sent.message
}

export const kinds = (stage: Stage) => stage.puppet.openings.map(({ options }) => options.from.kind)
export const rebuilt = (stage: Stage, s = stage.session) =>
  stage.of("session.updated", s).flatMap(({ data }) => (data.context === "rebuilt" ? [data] : []))
