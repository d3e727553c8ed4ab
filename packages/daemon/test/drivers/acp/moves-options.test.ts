import { acpAgentLimits } from "@sandbox-agent/schema/driver-limits"
import { describe, expect, test } from "vitest"
import { forkSession } from "../../../src/core/fork.ts"
import { closeProcess } from "../../../src/core/process.ts"
import { overfill } from "./overfill.ts"
import { Remembering } from "./remembering.ts"

const notes = (stage: Remembering): string[] =>
  stage
    .items()
    .flatMap(({ content }) =>
      content.flatMap((part) =>
        part.type === "status" && part.label === "remembering.option" ? [part.detail ?? ""] : [],
      ),
    )
const values = (stage: Remembering) =>
  stage.session.native?.passthrough?.settings().others.map((one) => one.currentValue)

describe.each([
  ["approval", "never"],
  ["danger", true],
] as const)("an agent that sets its option %s by itself", (option, value) => {
  const note = `the agent set its option ${option} to ${JSON.stringify(value)} by itself and is put back`

  test("within a turn is put back, and the log says so", async () => {
    await using stage = new Remembering()
    await stage.open()
    expect(await stage.does(`move ${option} ${JSON.stringify(value)}`)).toBe("asked in code")
    expect([notes(stage), values(stage)]).toEqual([[note], ["always", false]])
    // Clients of the agent's own protocol hear of both.
    const told = stage.of("agent.native").map(({ data }) => data.method)
    expect(told).toEqual(["session/update", "session/set_config_option"])
    expect(stage.wrongs()).toEqual([])
  })

  test("after a turn is put back before the next one", async () => {
    await using stage = new Remembering()
    await stage.open()
    const noted = stage.until("item.completed", ({ data }) => data.item.kind === "status")
    await stage.run(`late ${option} ${JSON.stringify(value)}`)
    await noted
    expect(await stage.does()).toBe("asked in code")
    expect([notes(stage), values(stage)]).toEqual([[note], ["always", false]])
  })

  test("in bypass goes on with it, until it is forked outside", async () => {
    await using stage = new Remembering()
    const session = await stage.open({ permissionMode: "bypass" })
    const moved = stage.until("agent.native")
    await stage.run(`late ${option} ${JSON.stringify(value)}`)
    await moved
    expect([await stage.does(), notes(stage)]).toEqual(["unasked in code", []])
    const fork = await forkSession(stage.core.sessions, session, { id: "fork", permissionMode: "default" })
    expect(await stage.does("do", stage.keep(fork.session))).toBe("asked in code")
  })
})

overfill(
  ["modeRestores"],
  "an agent that insists on an option is stopped, and gets no further message so",
  async () => {
    await using stage = new Remembering()
    const session = await stage.open()
    stage.rules({ insists: ["danger"] })
    const turn = await stage.run("move danger true")
    expect(turn.stop_reason).toBe("cancelled")
    expect(notes(stage)).toHaveLength(acpAgentLimits.modeRestores + 1)
    expect(stage.of("error").map(({ data }) => data.code)).toEqual(["permission_denied"])
    stage.rules({})
    expect([await stage.does(), values(stage)]).toEqual(["asked in code", ["always", false]])
    expect(session.record.native.initial?.options).toEqual({ approval: "always", danger: false })
  },
)

test.each(["refuses", "ignores"] as const)("one that %s to be put back is not gone on with", async (rule) => {
  await using stage = new Remembering()
  await stage.open()
  stage.rules({ [rule]: ["danger"] })
  const stopped = stage.until("error")
  await stage.run("late danger true")
  await stopped
  expect(await stage.does()).toBe("asked in code")
  expect(stage.of("session.updated").flatMap(({ data }) => data.context ?? [])).toEqual(["rebuilt"])
  expect(stage.of("turn.ended").at(-1)?.data.stop_reason).toBe("end_turn")
})

test("what an agent moved while nobody ran it is put back when it is resumed", async () => {
  await using stage = new Remembering()
  const session = await stage.open()
  await closeProcess(session)
  stage.moved(session, { danger: true })
  expect(await stage.does()).toBe("asked in code")
})
