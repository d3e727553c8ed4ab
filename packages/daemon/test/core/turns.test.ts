import { expect, test } from "vitest"
import { checkLog } from "./checks.ts"
import { type Stage, setStage } from "./stage.ts"

const turns = (stage: Stage) =>
  stage.events().flatMap((event) => {
    if (event.type === "turn.started") return [`start ${event.data.origin} ${event.data.message_ids.length}`]
    if (event.type === "turn.ended") return [`end ${event.data.stop_reason} ${event.data.message_ids.length}`]
    return event.type === "message.updated" && event.data.state !== "queued" ? [event.data.state] : []
  })
const good = (stage: Stage) => expect(checkLog(stage.events(), { open: true })).toEqual([])

test("a native start while our message is on its way is the same span, and so is its end", async () => {
  await using stage = await setStage()
  const { sink } = stage
  const { messageId, turnId } = await stage.post("hi")
  await stage.puppet.until("send")
  stage.say(() => sink.turnStarted({ origin: "agent" }))
  stage.say(() => sink.turnEnded({ stop: "end_turn" }))
  stage.say(() => sink.turnStarted({ origin: "message" }))
  stage.say(() => sink.taken(messageId))
  stage.say(() => sink.turnEnded({ stop: "end_turn" }))
  expect(turns(stage)).toEqual(["start message 1", "taken", "end end_turn 1"])
  expect(stage.of("turn.ended")[0]?.data).toMatchObject({ turn_id: turnId, message_ids: [messageId] })
  expect(stage.faults).toEqual({})
  good(stage)
})

test("activity nobody asked for is a turn of the agent's", async () => {
  await using stage = await setStage()
  stage.say(() => stage.sink.turnStarted({ origin: "agent" }))
  expect(stage.session.status).toBe("running")
  stage.say(() => stage.sink.turnEnded({ stop: "max_tokens" }))
  expect(turns(stage)).toEqual(["start agent 0", "end max_tokens 0"])
  expect(stage.faults).toEqual({})
})

test("a second start and an end without a start are counted and change nothing", async () => {
  await using stage = await setStage()
  await stage.running()
  const { sink } = stage
  for (let i = 0; i < 3; i++) stage.say(() => sink.turnStarted({ origin: "message" }))
  for (let i = 0; i < 2; i++) stage.say(() => sink.turnEnded({ stop: "end_turn" }))
  expect(turns(stage)).toEqual(["start message 1", "taken", "end end_turn 1"])
  expect(stage.faults).toEqual({ turns_overlap: 2, turn_ended_unstarted: 1 })
})

test("a steered message that is folded belongs to the running turn", async () => {
  await using stage = await setStage()
  const first = await stage.running()
  const { messageId, turnId } = await stage.post("also", { delivery: "steer" })
  await stage.puppet.until("steer")
  stage.say(() => stage.sink.taken(messageId))
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  expect(turns(stage)).toEqual(["start message 1", "taken", "taken", "end end_turn 2"])
  expect(stage.of("turn.ended")[0]?.data).toMatchObject({ turn_id: turnId, message_ids: [first, messageId] })
  good(stage)
})

test("a steered message that is not folded becomes the next turn", async () => {
  await using stage = await setStage()
  await stage.running()
  const { sink } = stage
  const { messageId } = await stage.post("also", { delivery: "steer" })
  await stage.puppet.until("steer")
  stage.say(() => sink.turnEnded({ stop: "end_turn" }))
  stage.say(() => sink.turnStarted({ origin: "message" }))
  stage.say(() => sink.taken(messageId))
  stage.say(() => sink.turnEnded({ stop: "end_turn" }))
  expect(turns(stage)).toEqual([
    "start message 1",
    "taken",
    "end end_turn 1",
    "start message 1",
    "taken",
    "end end_turn 1",
  ])
  expect(stage.puppet.asked.filter(({ call }) => call === "send" || call === "steer")).toHaveLength(2)
  expect(stage.faults).toEqual({})
  good(stage)
})

test("a steered message that is given back waits in front and gets a turn of its own", async () => {
  await using stage = await setStage({ behaviour: { steer: async () => false } })
  await stage.running()
  const queued = await stage.post("later")
  const steered = await stage.post("now", { delivery: "steer" })
  await stage.until("message.updated", ({ data }) => data.message_id === steered.messageId && data.delivery === "queue")
  expect(stage.session.queue.map(({ id }) => id)).toEqual([steered.messageId, queued.messageId])
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  await stage.puppet.until("send", 2)
  expect(stage.of("turn.started").at(-1)?.data.message_ids).toEqual([steered.messageId])
  good(stage)
})

test("a message given back by the agent is listed by the turn that takes it, not by the one that did not", async () => {
  await using stage = await setStage()
  const { messageId } = await stage.post("hi")
  await stage.puppet.until("send")
  stage.say(() => stage.sink.returned(messageId))
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  await stage.puppet.until("send", 2)
  stage.say(() => stage.sink.taken(messageId))
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  expect(turns(stage)).toEqual(["start message 1", "end end_turn 0", "start message 1", "taken", "end end_turn 1"])
  good(stage)
})

test("a message that is taken while nothing runs starts its turn", async () => {
  await using stage = await setStage()
  await stage.running()
  const { messageId } = await stage.post("also", { delivery: "steer" })
  await stage.puppet.until("steer")
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  stage.say(() => stage.sink.taken(messageId))
  expect(stage.session.turn?.messageIds).toEqual([messageId])
  good(stage)
})

test("the same id posted twice at once is one message", async () => {
  await using stage = await setStage()
  const [a, b] = await Promise.all([stage.post("hi", { messageId: "m1" }), stage.post("hi", { messageId: "m1" })])
  expect(b).toMatchObject({ messageId: "m1", turnId: a.turnId })
  await stage.puppet.until("send")
  expect(stage.of("message.updated")).toHaveLength(1)
})

test("messages go one after the other, in their order", async () => {
  await using stage = await setStage()
  await stage.running("one")
  await Promise.all(["two", "three"].map((text) => stage.post(text)))
  for (const n of [2, 3]) {
    stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
    await stage.puppet.until("send", n)
    stage.say(() => stage.sink.taken(stage.session.sending?.id ?? ""))
  }
  const sent = stage.puppet.asked.flatMap((asked) => (asked.call === "send" ? [asked.message.text] : []))
  expect(sent).toEqual(["one", "two", "three"])
})
