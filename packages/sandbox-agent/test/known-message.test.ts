import { afterAll, beforeAll, expect, test } from "vitest"
import { ProblemError, SandboxAgentClient, TurnError } from "../src/sandbox-agent.ts"
import { TestDaemon, token } from "./harness/daemon.ts"

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await TestDaemon.start()
})
afterAll(() => daemon[Symbol.asyncDispose]())

/** A program that knows nothing but the id of its session and of its message. */
const clientOf = ({ baseUrl }: TestDaemon) => new SandboxAgentClient({ autoConnect: false, baseUrl, token })
const failure = (work: Promise<unknown>) =>
  work.then(
    () => expect.unreachable("it resolved"),
    (error) => error,
  )

test("a prompt whose turn has ended resolves with that turn, also behind others and after a restart", async () => {
  await using before = clientOf(daemon)
  using session = await before.startSession({ agent: "mock", directory: daemon.home })
  const first = await session.prompt("/echo once", { messageId: "known" })
  expect(await session.prompt("/echo once", { messageId: "known" })).toEqual(first)
  await session.prompt("/echo other")
  await daemon.restart()
  await using after = clientOf(daemon)
  expect(await after.session(session.id).prompt("/echo once", { messageId: "known" })).toEqual(first)
  const { items } = await after.listItems(session.id)
  expect(items.filter(({ role }) => role === "user")).toHaveLength(2)
})

test("one whose turn failed, or that was withdrawn, rejects as it did", async () => {
  await using client = clientOf(daemon)
  using session = await client.startSession({ agent: "mock", directory: daemon.home })
  for (let times = 0; times < 2; times++) {
    const error = await failure(session.prompt("/crash 3", { messageId: "crashed" }))
    expect(error).toBeInstanceOf(TurnError)
    expect(error).toMatchObject({ failure: { exit_code: 3 } })
  }
  await client.postMessage(session.id, { message: "/sleep 600000" })
  await client.postMessage(session.id, { message: "never", messageId: "withdrawn" })
  await client.withdrawMessage(session.id, "withdrawn")
  expect(await failure(session.prompt("never", { messageId: "withdrawn" }))).toMatchObject({ code: "withdrawn" })
  await session.cancel()
})

test("one that waits or runs is followed to its end", async () => {
  await using client = clientOf(daemon)
  using session = await client.startSession({ agent: "mock", directory: daemon.home })
  await client.postMessage(session.id, { message: "/permission true", messageId: "runs" })
  await client.postMessage(session.id, { message: "/echo later", messageId: "waits" })
  const all = [
    session.prompt("/permission true", { messageId: "runs" }),
    session.prompt("/echo later", { messageId: "waits" }),
  ]
  session.onPermission(() => "once")
  expect(await Promise.all(all)).toMatchObject([
    { stopReason: "end_turn", messageId: "runs" },
    { stopReason: "end_turn", messageId: "waits" },
  ])
})

test("one whose turn is no longer kept is refused, by prompt and by stream", async () => {
  await using daemon = await TestDaemon.start("--retention-bytes", "1", "--interval", "tidyMs=100")
  await using client = clientOf(daemon)
  using session = await client.startSession({ agent: "mock", directory: daemon.home })
  await client.postMessage(session.id, { message: "/echo old", messageId: "old" })
  const isKept = async () => {
    const { status, firstSequence, lastSequence } = await session.info()
    return status !== "idle" || firstSequence <= lastSequence
  }
  await expect.poll(isKept).toBe(false)
  const streamed = client.streamMessage(session.id, { message: "/echo old", messageId: "old" }).next()
  for (const asked of [session.prompt("/echo old", { messageId: "old" }), streamed]) {
    const error = await failure(asked)
    expect(error).toBeInstanceOf(ProblemError)
    expect(error).toMatchObject({ code: "gone" })
  }
})
