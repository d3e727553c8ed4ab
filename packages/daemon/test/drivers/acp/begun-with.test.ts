import { expect, test } from "vitest"
import { closeProcess } from "../../../src/core/process.ts"
import { Coupled } from "./coupled.ts"

/** A session that an earlier version made: what its agent began with was not kept. */
async function old(stage: Coupled) {
  const session = await stage.open()
  expect(await stage.has()).toBe("fast quick")
  await closeProcess(session)
  session.record.native = { ...session.record.native, initial: undefined }
  return session
}

test("what an agent begins with is known before what its models offer", async () => {
  await using stage = new Coupled(undefined, { openMs: 5_000 })
  await old(stage)
  stage.rules({ hangs: ["model"] })
  const from = Date.now()
  expect([await stage.has(), stage.rebuilt]).toEqual(["fast quick", false])
  expect(Date.now() - from).toBeLessThan(4_000)
})

test.each(["fails", "hangs"] as const)(
  "where the agent %s to tell it, it is asked again and forgets nothing",
  async (rule) => {
    await using stage = new Coupled(undefined, { openMs: 3_000 })
    const session = await old(stage)
    stage.rules({ [rule]: ["session/new"] })
    for (const n of [1, 2, 3]) {
      const { error } = await stage.run(`try ${n}`)
      expect(error?.message).toContain("what the agent begins with is not known")
    }
    expect(session.record.resumeFailures).toBeUndefined()
    stage.rules({})
    expect([await stage.has(), stage.rebuilt]).toEqual(["fast quick", false])
  },
)
