import { expect, test } from "vitest"
import { cancelTurn } from "../../src/core/cancel.ts"
import { patchSession } from "../../src/core/settings.ts"
import { checkLog } from "./checks.ts"
import { type Stage, type StageOptions, setStage } from "./stage.ts"

const good = (stage: Stage) => expect([checkLog(stage.events(), { open: true }), stage.faults]).toEqual([[], {}])
const last = (stage: Stage, id: string) =>
  stage.of("message.updated").findLast(({ data }) => data.message_id === id)?.data

/** A message that the agent keeps for its next turn: the one it was meant for is over. */
async function kept(options: StageOptions, during?: (stage: Stage) => Promise<unknown>) {
  const stage = await setStage({ deadlines: { takenMs: 600_000 }, ...options })
  await stage.running()
  const { messageId } = await stage.post("also", { delivery: "steer" })
  await stage.puppet.until("steer")
  await during?.(stage)
  const { turnId } = await stage.post("next")
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  return { stage, messageId, turnId }
}

const stops: [string, (stage: Stage) => unknown][] = [
  ["dies", (stage) => stage.sink.gone({ code: 1 })],
  ["is stopped for its background work", (stage) => cancelTurn(stage.session, { background: true })],
]

test.each(stops)(
  "a steered message that its agent keeps fails when the agent %s, and the next one goes",
  async (_, stop) => {
    const { stage, messageId, turnId } = await kept({ behaviour: { stopBackground: null } })
    await using _stage = stage
    stage.say(() => stage.sink.background(1))
    await stop(stage)
    await stage.until("message.updated", ({ data }) => data.state === "failed")
    expect(last(stage, messageId)).toMatchObject({ state: "failed", error: { code: "agent_process_exited" } })
    await stage.until("turn.started", ({ data }) => data.turn_id === turnId)
    await stage.puppet.until("send", 2)
    expect(stage.puppet.openings).toHaveLength(2)
    good(stage)
  },
)

test("a process that is to be opened anew takes the steered message that it keeps first", async () => {
  const { stage, messageId } = await kept({ behaviour: { configure: async () => "reopen" } }, (during) =>
    patchSession(during.session, { model: "big" }),
  )
  await using _stage = stage
  const { sink } = stage
  stage.say(() => sink.turnStarted({ origin: "message" }))
  stage.say(() => sink.taken(messageId))
  stage.say(() => sink.turnEnded({ stop: "end_turn" }))
  expect(last(stage, messageId)?.state).toBe("taken")
  await stage.puppet.until("send", 2)
  expect(stage.puppet.openings.map(({ options }) => options.settings.model)).toEqual([undefined, "big"])
  good(stage)
})

test("one that comes back from it goes to the new process", async () => {
  const { stage, messageId } = await kept({ behaviour: { configure: async () => "reopen" } }, (during) =>
    patchSession(during.session, { model: "big" }),
  )
  await using _stage = stage
  stage.say(() => stage.sink.returned(messageId))
  expect(await stage.puppet.until("send", 2)).toMatchObject({ message: { id: messageId } })
  expect(stage.puppet.openings.map(({ asked }) => asked.map(({ call }) => call))).toEqual([
    ["send", "steer", "configure", "close"],
    ["send"],
  ])
  good(stage)
})

test("one that is late is given up, and what waited goes to the new process", async () => {
  const { stage, messageId } = await kept({ behaviour: { configure: async () => "reopen" } }, (during) => {
    during.wait({ takenMs: 20 })
    return patchSession(during.session, { model: "big" })
  })
  await using _stage = stage
  await stage.puppet.until("send", 2)
  expect(last(stage, messageId)).toMatchObject({ state: "failed", error: { code: "timeout" } })
  expect(stage.puppet.opening.options.settings.model).toBe("big")
})

test("messages that the agent gave back stand in front of those that waited, also after a restart", async () => {
  await using stage = await setStage({ kind: "sqlite", behaviour: { steer: async () => false } })
  await stage.running()
  const waits = [await stage.post("third"), await stage.post("fourth")]
  for (const message of ["second", "first"]) {
    const { messageId } = await stage.post(message, { delivery: "steer" })
    await stage.until("message.updated", ({ data }) => data.message_id === messageId && data.delivery === "queue")
    waits.unshift({ messageId, turnId: "", position: 0 })
  }
  const ids = waits.map(({ messageId }) => messageId)
  expect(stage.session.queue.map(({ id }) => id)).toEqual(ids)
  await using next = stage.afterKill()
  expect(next.session.queue.map(({ id }) => id)).toEqual(ids)
  // What comes now comes after all of them, and so it is with the next restart.
  const { messageId } = await next.post("fifth")
  await using last = next.afterKill()
  expect([last.session.sending?.id, ...last.session.queue.map(({ id }) => id)]).toEqual([
    undefined,
    ...ids.slice(1),
    messageId,
  ])
})
