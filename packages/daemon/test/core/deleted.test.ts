import { existsSync } from "node:fs"
import { limits } from "@sandbox-agent/schema/limits"
import { expect, test } from "vitest"
import { attachmentDirectory } from "../../src/core/attachments.ts"
import { createSession } from "../../src/core/creation.ts"
import { forkSession } from "../../src/core/fork.ts"
import { post } from "../../src/core/post.ts"
import { turn } from "./conversation.ts"
import { type Stage, setStage } from "./stage.ts"

/** Nothing is left of a session that was deleted. */
const purged = ({ core }: Stage, uid: number) =>
  expect.poll(() => core.context.store.db.query("SELECT uid FROM sessions WHERE uid = ?").get(uid)).toBeNull()

test("queues go on after a restart when sessions before them are deleted meanwhile", async () => {
  await using stage = await setStage({ kind: "sqlite" })
  const { sessions } = stage.core
  const open = limits.resumeConcurrency
  const ids = Array.from({ length: 2 * open + 1 }, (_, i) => `s${i}`)
  for (const id of ids) {
    const { session } = await createSession(sessions, id, { agent: "puppet" })
    for (const message of ["under way", `of ${id}`]) await post(session, { message })
  }
  const held = Promise.withResolvers<void>()
  await using next = stage.afterKill({ open: () => held.promise })
  next.core.start()
  await next.puppet.opened(open)
  for (const id of ids.slice(open, 2 * open)) await next.core.sessions.deleteById(id)
  held.resolve()
  await next.puppet.until("send", open + 1)
  const sent = next.puppet.asked.flatMap((asked) => (asked.call === "send" ? asked.message.text : []))
  expect(sent).toEqual([...ids.slice(0, open), ...ids.slice(2 * open)].map((id) => `of ${id}`))
})

test.each([{}, { agent: "puppet" }])("a fork of a session that is deleted meanwhile is refused (%o)", async (given) => {
  await using stage = await setStage()
  await turn(stage, "hi", "hello")
  const { sessions, context } = stage.core
  const forked = forkSession(sessions, stage.session, { id: "child", ...given })
  const deleted = sessions.delete(stage.session)
  await expect(forked).rejects.toMatchObject({ code: "session_not_found", context: { sessionId: "one" } })
  await deleted
  expect([[...sessions.loaded], sessions.list({}).sessions, context.rows.maxUid()]).toEqual([[], [], 1])
  expect(stage.puppet.openings).toHaveLength(1)
})

test("an attachment that comes when its session was deleted leaves nothing behind", async () => {
  await using stage = await setStage({ kind: "sqlite" })
  const asked = Promise.withResolvers<void>()
  const held = Promise.withResolvers<Response>()
  const server = Bun.serve({
    port: 0,
    fetch: () => {
      asked.resolve()
      return held.promise
    },
  })
  const { session, core } = stage
  const posted = post(session, { message: "look", attachments: [{ url: `${server.url}dot.png` }] })
  await asked.promise
  await core.sessions.delete(session)
  await purged(stage, session.record.uid)
  held.resolve(new Response("picture"))
  await expect(posted).rejects.toMatchObject({ code: "conflict" })
  core.context.store.flush()
  core.context.store.settle()
  const left = core.context.store.db.query("SELECT count(*) AS refs FROM blob_refs").get()
  expect([left, existsSync(attachmentDirectory(session))]).toEqual([{ refs: 0 }, false])
  await server.stop(true)
})
