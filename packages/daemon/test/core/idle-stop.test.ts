import type { Permission } from "@sandbox-agent/schema/request"
import { expect, test } from "vitest"
import { stopIfIdle } from "../../src/core/idle-agents.ts"
import { replyPermission } from "../../src/core/replies.ts"
import { pendingOf } from "../../src/core/requests.ts"
import { checkLog } from "./checks.ts"
import { type Stage, setStage } from "./stage.ts"

const idleStopMs = 60_000

/** A look at a session in which nothing has happened for longer than the limit. */
function lookLater(stage: Stage): string {
  stage.session.idleSince = performance.now() - idleStopMs - 1
  stage.core.tidy()
  return stage.session.process
}

const closed = (stage: Stage): number => stage.puppet.asked.filter(({ call }) => call === "close").length

const askInBackground = (stage: Stage) =>
  stage.say(() =>
    stage.sink.ask({
      key: "p",
      type: "permission",
      kind: "command",
      action: "Run it",
      covers: [],
      always: [],
      background: true,
    }),
  )

test("a permission that work without a turn has asked keeps its agent, and the answer reaches it", async () => {
  await using stage = await setStage({ idleStopMs })
  await stage.running()
  askInBackground(stage)
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  // Not counted as background work, no turn, nothing queued: only the request holds the agent.
  expect([stage.session.turn, stage.session.record.background, stage.session.status]).toEqual([undefined, 0, "waiting"])
  expect([lookLater(stage), closed(stage)]).toEqual(["live", 0])

  const [permission] = pendingOf(stage.session).permissions as [Permission]
  expect(permission.turn_id).toBeUndefined()
  await replyPermission(stage.session, permission.permission_id, "once")
  expect(stage.puppet.asked.at(-1)).toMatchObject({ call: "answer", key: "p", answer: { reply: "once" } })
  expect(stage.of("permission.resolved").map(({ data }) => data.status)).toEqual(["accept"])
  expect([lookLater(stage), stage.session.status]).toEqual(["none", "idle"])
  await stage.puppet.until("close")
  expect(checkLog(stage.events())).toEqual([])
})

test("an answer to it, and the end of background work, start the time of rest anew", async () => {
  await using stage = await setStage({ idleStopMs })
  const long = performance.now() - idleStopMs - 1
  const lookNow = () => {
    stage.core.tidy()
    return [stage.session.process, closed(stage)]
  }
  askInBackground(stage)
  stage.session.idleSince = long
  const [permission] = pendingOf(stage.session).permissions as [Permission]
  await replyPermission(stage.session, permission.permission_id, "once")
  expect(lookNow()).toEqual(["live", 0])

  stage.say(() => stage.sink.background(1))
  stage.session.idleSince = long
  expect(lookNow()).toEqual(["live", 0])
  stage.say(() => stage.sink.background(0))
  // An agent told of finished work often starts a turn by itself: it must still be there.
  expect(lookNow()).toEqual(["live", 0])
  expect(lookLater(stage)).toBe("none")
})

test("an agent that cannot resume keeps its process once something was said: it is all it remembers by", async () => {
  await using stage = await setStage({ behaviour: { capabilities: { resume: false } } })
  const { session } = stage
  await stage.running()
  stage.say(() => stage.sink.turnEnded({ stop: "end_turn" }))
  await stage.until("turn.ended")
  stopIfIdle(session)
  expect(session.process).toBe("live")
})

test("before anything was said there is nothing to lose; in a turn there is", async () => {
  await using silent = await setStage({ behaviour: { capabilities: { resume: false } } })
  stopIfIdle(silent.session)
  expect(silent.session.process).toBe("none")
  await using busy = await setStage()
  await busy.running()
  stopIfIdle(busy.session)
  expect(busy.session.process).toBe("live")
})
