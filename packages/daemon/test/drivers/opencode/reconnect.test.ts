import { limits } from "@sandbox-agent/schema/limits"
import { expect, test } from "vitest"
import { Client } from "../../../src/drivers/opencode/client.ts"
import { Server } from "../../../src/drivers/opencode/server.ts"
import { RecordedServer } from "./recorded-server.ts"
import { type Replay, recordedUntil } from "./replay.ts"
import { recorded } from "./transcripts.ts"

const stops = (stage: Replay) => stage.of("turn.ended").map(({ data }) => data.stop_reason)
const messages = (name: string) =>
  recorded(name).findLast(({ kind, path }) => kind === "response" && path?.endsWith("/message"))

test("what was missed while the stream was broken is read: text, tools and the end", async () => {
  await using stage = await recordedUntil("permission-once", ({ event }) =>
    JSON.stringify(event ?? "").includes("permission.replied"),
  )
  stage.server.state.messages = messages("permission-once")?.body
  await stage.server.cut()
  await stage.until("turn.ended")
  expect(stops(stage)).toEqual(["end_turn"])
  expect(stage.transcript().slice(1)).toEqual([
    ...[
      "call bash",
      "assistant: Running it. ",
      "result hi-from-bash\n",
      "assistant: The command printed hi-from-bash.",
    ],
  ])
  expect(stage.wrongs()).toEqual([])
})

test("a permission that is still asked stays, one that is not is taken back, a new one is asked", async () => {
  await using stage = await recordedUntil("permission-once", ({ event }) =>
    JSON.stringify(event ?? "").includes("permission.asked"),
  )
  const [open] = stage.session.requests.values()
  const { native } = open ?? {}
  const asked = recorded("permission-once").find(
    ({ path, kind }) => kind === "response" && path === "/permission",
  )?.body
  const [request] = asked as unknown as { id: string }[]
  stage.server.state.status = { [stage.session.record.native.id ?? ""]: { type: "busy" } }
  stage.server.state.permissions = [request, { ...request, id: "per_new", tool: undefined }]
  await stage.server.cut()
  await stage.until("permission.requested", () => stage.of("permission.requested").length === 2)
  expect([...stage.session.requests.values()].map((one) => one.native.key)).toEqual([native?.key, "per_new"])
  stage.server.state.permissions = []
  await stage.server.cut()
  await stage.until("permission.resolved", () => stage.of("permission.resolved").length === 2)
  expect(stage.session.status).toBe("running")
  expect(stage.wrongs(true)).toEqual([])
})

test("deltas that were missed come with the end of the text, and nothing twice", async () => {
  await using stage = await recordedUntil("text", ({ event }) =>
    JSON.stringify(event ?? "").includes("message.part.delta"),
  )
  stage.server.state.status = { [stage.session.record.native.id ?? ""]: { type: "busy" } }
  await stage.server.cut()
  await stage.rest("text")
  expect(stops(stage)).toEqual(["end_turn"])
  expect(stage.transcript().at(-1)).toBe("assistant: Hello from the fake model.")
  expect(stage.wrongs()).toEqual([])
})

test("after an event that could not be read the session that it names reads anew, or every one", async () => {
  const recordedServer = new RecordedServer([])
  const url = Promise.withResolvers<string>()
  recordedServer.supervisor.spawn({ onLine: (line: string) => url.resolve(line.split(" ").at(-1) ?? "") } as never)
  const hooks = { again: false, lost: () => {}, room: () => undefined, signal: new AbortController().signal }
  const server = new Server(new Client(await url.promise, "secret"), hooks, { log: () => {} } as never, async () => {})
  await server.listen()
  const reread: string[] = []
  for (const id of ["ses_1", "ses_2"])
    server.attach(id, { receive: () => {}, reread: async () => void reread.push(id), isWaiting: () => true })
  const deep = "[".repeat(limits.agentLineDepth + 1) + "]".repeat(limits.agentLineDepth + 1)
  const say = (properties: object) => recordedServer.say({ payload: { type: "x", properties } })
  const nested = JSON.parse(deep)
  say({ sessionID: "ses_2", nested })
  await expect.poll(() => reread).toEqual(["ses_2"])
  say({ sessionID: "ses_gone", nested })
  say({ nested })
  await expect.poll(() => reread).toEqual(["ses_2", "ses_1", "ses_2"])
  await server.stop()
  await recordedServer.close()
})

test("what could not be read anew is read again, as long as somebody wants it", async () => {
  const recordedServer = new RecordedServer([])
  const url = Promise.withResolvers<string>()
  recordedServer.supervisor.spawn({ onLine: (line: string) => url.resolve(line.split(" ").at(-1) ?? "") } as never)
  const hooks = { again: false, lost: () => {}, room: () => undefined, signal: new AbortController().signal }
  const server = new Server(new Client(await url.promise, "secret"), hooks, { log: () => {} } as never, async () => {})
  await server.listen()
  const reread: string[] = []
  const listener = (name: string, fails: (n: number) => boolean, waits = true) => ({
    receive: () => {},
    isWaiting: () => waits,
    reread: async () => {
      reread.push(name)
      if (fails(reread.filter((one) => one === name).length)) throw new Error("it is busy")
    },
  })
  const gone = listener("gone", () => true)
  server.attach(
    "ses_1",
    listener("comes through", (n) => n < 3),
  )
  server.attach("ses_2", gone)
  server.attach(
    "ses_3",
    listener("rests", () => true, false),
  )
  await recordedServer.cut()
  await expect.poll(() => reread).toContain("gone")
  server.detach(gone)
  await expect.poll(() => reread.filter((name) => name === "comes through")).toHaveLength(3)
  expect(reread.filter((name) => name !== "comes through")).toEqual(["gone", "rests"])
  await server.stop()
  await recordedServer.close()
})

test("while one of its sessions has no room nothing more is read", async () => {
  const recordedServer = new RecordedServer([])
  const url = Promise.withResolvers<string>()
  const onLine = (line: string) => url.resolve(line.split(" ").at(-1) ?? "")
  recordedServer.supervisor.spawn({ onLine } as never)
  const full = Promise.withResolvers<void>()
  let room: Promise<void> | undefined
  const { signal } = new AbortController()
  const hooks = { again: false, lost: () => {}, room: () => room, signal }
  const server = new Server(new Client(await url.promise, "secret"), hooks, { log: () => {} } as never, async () => {})
  await server.listen()
  const heard: string[] = []
  server.attach("ses_1", { receive: (_, { type }) => heard.push(type), reread: async () => {}, isWaiting: () => true })
  const idle = () => recordedServer.say({ payload: { type: "session.idle", properties: { sessionID: "ses_1" } } })
  idle()
  await expect.poll(() => heard.length).toBe(1)
  room = full.promise
  for (let n = 0; n < 5; n++) idle()
  await expect.poll(() => heard.length).toBe(2)
  await Bun.sleep(100)
  expect(heard).toHaveLength(2)
  room = undefined
  full.resolve()
  await expect.poll(() => heard.length).toBe(6)
  await server.stop()
  await recordedServer.close()
})

test("a session that several sub-agents worked in is heard by the last, and one that is somebody's own by them", async () => {
  const recordedServer = new RecordedServer([])
  const url = Promise.withResolvers<string>()
  recordedServer.supervisor.spawn({ onLine: (line: string) => url.resolve(line.split(" ").at(-1) ?? "") } as never)
  const hooks = { again: false, lost: () => {}, room: () => undefined, signal: new AbortController().signal }
  const server = new Server(new Client(await url.promise, "secret"), hooks, { log: () => {} } as never, async () => {})
  await server.listen()
  const heard: string[] = []
  const listener = (name: string) => ({
    receive: () => heard.push(name),
    reread: async () => {},
    isWaiting: () => true,
  })
  const [one, two] = [listener("one"), listener("two")]
  const say = (sessionID: string) => recordedServer.say({ payload: { type: "x", properties: { sessionID } } })
  server.attach("ses_1", one)
  server.follow("ses_child", one)
  server.follow("ses_child", two)
  server.follow("ses_1", two)
  say("ses_child")
  say("ses_1")
  await expect.poll(() => heard).toEqual(["two", "one"])
  server.detach(one)
  server.follow("ses_1", two)
  say("ses_1")
  await expect.poll(() => heard).toEqual(["two", "one", "two"])
  await server.stop()
  await recordedServer.close()
})
