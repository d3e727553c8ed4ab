import { expect, test } from "vitest"
import { forkSession } from "../../../src/core/fork.ts"
import { Remembering } from "./remembering.ts"

test.each(["nameless", "wordless"])("a session that its agent gives no name (%s) is none", async (how) => {
  await using stage = new Remembering()
  stage.rules({ [how]: ["session/new"] })
  const session = await stage.open().catch((error: unknown) => error)
  expect(String(session)).toContain("unavailable: Remembering named no session")
  stage.rules({})
  expect(await stage.does("do", await stage.open({}, "two"))).toBe("asked in code")
})

test.each(["nameless", "wordless", "same"])(
  "a fork that its agent gives no name of its own (%s) is not the session that it was made of",
  async (how) => {
    await using stage = new Remembering()
    const session = await stage.open()
    await stage.does()
    stage.rules({ [how]: ["session/fork"] })
    const fork = stage.keep((await forkSession(stage.core.sessions, session, { id: "fork" })).session)
    expect(await stage.does("do", fork)).toBe("asked in code")
    expect(fork.record.native.id).not.toBe(session.record.native.id)
    expect(stage.of("session.updated", fork).map(({ data }) => data.context)).toContain("rebuilt")
    expect(stage.wrongs()).toEqual([])
  },
)
