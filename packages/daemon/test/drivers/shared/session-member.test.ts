import { expect, test } from "vitest"
import { SessionMember } from "../../../src/drivers/shared/session-member.ts"

function open() {
  const reported: string[] = []
  const member = new SessionMember({})
  const state = { idle: false }
  const join = () =>
    member.opened({
      canLeave: () => state.idle,
      leave: () => reported.push("left"),
      lost: ({ code }) => reported.push(`lost ${code}`),
    })
  return { member, reported, state, join }
}

test("one at rest leaves a server that is being replaced at once, one in a turn when that has ended, and once", () => {
  const { member, reported, state, join } = open()
  join()
  member.leaveIfDrained()
  member.draining()
  expect(reported).toEqual([])
  state.idle = true
  member.leaveIfDrained()
  member.leaveIfDrained()
  member.lost({ code: 1 })
  expect(reported).toEqual(["left"])
})

test("a server that dies is told to one that is open, and once", () => {
  const { member, reported, join } = open()
  member.lost({ code: 1 })
  expect(reported).toEqual([])
  join()
  member.lost({ code: 2 })
  member.lost({ code: 3 })
  expect(reported).toEqual(["lost 2"])
})

test("one that was closed hears nothing more", () => {
  const { member, reported, state, join } = open()
  join()
  state.idle = true
  member.closed()
  member.draining()
  member.lost({ code: 1 })
  expect(reported).toEqual([])
})
