import { expect, test } from "vitest"
import { createSession } from "../../src/core/creation.ts"
import { MemoryGone, type NativeAnswer } from "../../src/core/driver.ts"
import type { NativeRequest } from "../../src/core/driver-sink.ts"
import { replyForwarded } from "../../src/core/forwarded-requests.ts"
import { closeProcess } from "../../src/core/process.ts"
import { replyPermission } from "../../src/core/replies.ts"
import { checkLog } from "./checks.ts"
import { turn } from "./conversation.ts"
import type { Opening } from "./puppet.ts"
import { type Stage, setStage } from "./stage.ts"

const permission: NativeRequest = {
  key: "trust",
  type: "permission",
  kind: "other",
  action: "Trust this folder?",
  covers: [],
  always: [],
}

/** Opens once it was answered. */
const trusting = () => {
  const answered = Promise.withResolvers<NativeAnswer>()
  const answer = async (_: string, given: NativeAnswer) => answered.resolve(given)
  const open = async ({ sink }: Opening) => {
    sink.line("{}", () => sink.ask(permission, { answer }))
    await answered.promise
  }
  return { open, answered: answered.promise }
}

const asked = async (stage: Stage): Promise<string> => {
  await stage.until("permission.requested", () => stage.session.requests.size > 0)
  return [...stage.session.requests.keys()][0] ?? ""
}

test("what an agent asks while it opens gets its answer", async () => {
  await using stage = await setStage()
  await closeProcess(stage.session)
  const { open, answered } = trusting()
  stage.puppet.behaviour.open = open
  await stage.post("go")
  const id = await asked(stage)
  expect(stage.session.status).toBe("waiting")
  await replyPermission(stage.session, id, "once")
  expect(await answered).toMatchObject({ kind: "permission", reply: "once" })
  await stage.puppet.until("send")
})

test("a permission mode answers it, too", async () => {
  const { open, answered } = trusting()
  await using stage = await setStage()
  stage.puppet.behaviour.open = open
  const create = { agent: "puppet", permissionMode: "bypass" as const }
  const { healthy } = await createSession(stage.core.sessions, "two", create)
  expect(healthy).toBe(true)
  expect(await answered).toMatchObject({ kind: "permission", reply: "once" })
})

test("an answer that nobody can take is an error, not a yes", async () => {
  await using stage = await setStage()
  await closeProcess(stage.session)
  stage.puppet.behaviour.open = ({ sink }) => {
    sink.line("{}", () => sink.ask(permission))
    return new Promise(() => {})
  }
  await stage.post("go")
  const id = await asked(stage)
  await expect(replyPermission(stage.session, id, "once")).rejects.toMatchObject({ code: "unavailable" })
})

test("of an agent that is opened anew what the first one asked and began is over", async () => {
  await using stage = await setStage()
  await turn(stage, "one", "1")
  await closeProcess(stage.session)
  let sink = stage.sink
  stage.puppet.behaviour.open = async (opening) => {
    if (opening.options.from.kind === "new") return
    sink = opening.sink
    sink.line("{}", () => {
      sink.ask(permission)
      sink.open({ key: "early", kind: "message" })
    })
    throw new MemoryGone("no such conversation")
  }
  await stage.running("two")
  expect(stage.of("permission.resolved").map(({ data }) => [data.status, data.reason])).toEqual([["cancelled", "lost"]])
  expect([stage.session.requests.size, stage.session.items.size]).toEqual([0, 0])
  const before = stage.events().length
  sink.gone({ code: 1 }) // its process is read to its end
  expect(stage.events()).toHaveLength(before)
  expect(checkLog(stage.events(), { open: true })).toEqual([])
})

test("what is passed on to clients while it opens is answered by whoever asked", async () => {
  await using stage = await setStage()
  await closeProcess(stage.session)
  stage.session.acpReaders = 1
  const replied = Promise.withResolvers<object>()
  stage.puppet.behaviour.open = async ({ sink }) => {
    const reply = async (_: string, response: object) => replied.resolve(response)
    sink.line("{}", () => void sink.passOn("vendor/needs_this", "v", { answer: async () => {}, reply }))
    await replied.promise
  }
  await stage.post("go")
  await stage.until("agent.native", () => stage.session.forwardedRequests.size > 0)
  const [sequence = 0] = stage.session.forwardedRequests.keys()
  await replyForwarded(stage.session, sequence, { result: { fine: true } })
  expect(await replied.promise).toEqual({ result: { fine: true } })
})
