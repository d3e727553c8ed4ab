import { expect, test } from "vitest"
import { scratch, startDaemon } from "../harness/daemon.ts"
import { choose, SdkClient } from "./sdk-client.ts"
import { saidIn, text, Wire } from "./wire.ts"

const load = (sdk: SdkClient, sessionId: string) => sdk.ask("session/load", { sessionId, cwd: "/tmp", mcpServers: [] })

test("two official clients on one session, with the same JSON-RPC ids: each gets its own answers and every update", async () => {
  await using daemon = await startDaemon()
  await using one = new SdkClient(daemon, "http")
  await using two = new SdkClient(daemon, "websocket")
  const id = await one.begin()
  await two.initialize()
  await load(two, id)
  // The SDK counts from 0 in both: these have the same ids.
  const answers = await Promise.all([one.prompt(id, "from one"), two.prompt(id, "from two")])
  expect(answers.map(({ stopReason }) => stopReason)).toEqual(["end_turn", "end_turn"])
  for (const sdk of [one, two]) {
    await sdk.until(() => sdk.said(id).length === "from onefrom two".length)
    expect(["from onefrom two", "from twofrom one"]).toContain(sdk.said(id))
    expect(sdk.said(id, "user_message_chunk")).toBe(sdk.said(id))
  }
})

test("both are asked, the first answer counts, the other is told to stop asking", async () => {
  await using daemon = await startDaemon()
  const answers = { "session/request_permission": choose("allow_once") }
  await using silent = new SdkClient(daemon, "http")
  const id = await silent.begin()
  const prompted = silent.prompt(id, "/permission echo yes")
  await silent.until(() => silent.asked.length === 1)
  // Who comes later is asked what is still open.
  await using quick = new SdkClient(daemon, "websocket", { answers })
  await quick.initialize()
  await load(quick, id)
  expect(await prompted).toMatchObject({ stopReason: "end_turn" })
  await silent.until(() => silent.cancelled.length === 1)
  expect(quick.asked).toHaveLength(1)
  expect(quick.cancelled).toEqual([])
})

test("a second answer is a typed error that says what was decided; so is one that cannot be meant", async () => {
  await using daemon = await startDaemon()
  const wire = new Wire(daemon)
  const stream = await wire.stream()
  await wire.initialize()
  await wire.create("one")
  const prompted = wire.ask("session/prompt", { sessionId: "one", prompt: text("/permission echo yes") })
  const asked = await stream.until(({ method }) => method === "session/request_permission")
  const answer = (optionId: string) =>
    wire.post({ jsonrpc: "2.0", id: asked.id, result: { outcome: { outcome: "selected", optionId } } })
  const bad = await answer("no_such_option")
  expect(bad.body).toMatchObject({
    id: asked.id,
    error: { code: -32602, message: expect.stringContaining("optionId") },
  })
  expect((await answer("reject_once")).status).toBe(202)
  const second = await answer("allow_once")
  expect(second.body).toMatchObject({
    id: asked.id,
    error: { data: { code: "conflict", resolution: { status: "reject" } } },
  })
  expect((await prompted).result).toMatchObject({ stopReason: "end_turn" })
  const nobody = await wire.post({ jsonrpc: "2.0", id: "perm_000000000000nobody", result: {} })
  expect(nobody.body).toMatchObject({ error: { data: { code: "not_found" } } })
})

test("what one client leaves undecided stays open while another watches, and is refused when nobody does", async () => {
  await using daemon = await startDaemon()
  const dismiss = { "session/request_permission": () => ({ outcome: { outcome: "cancelled" } }) }
  await using shy = new SdkClient(daemon, "http", { answers: dismiss })
  const id = await shy.begin()
  // Alone: nobody else could answer, and the turn must not wait for ever.
  expect(await shy.prompt(id, "/permission echo alone")).toMatchObject({ stopReason: "end_turn" })
  const alone = (await daemon.api.events(id)).find(({ type }) => type === "permission.resolved")
  expect(alone?.data).toMatchObject({ status: "reject" })
  await using other = new SdkClient(daemon, "websocket")
  await other.initialize()
  await load(other, id)
  const prompted = shy.prompt(id, "/permission echo watched")
  await shy.until(() => shy.asked.length === 2)
  await other.until(() => other.asked.length === 1)
  const { permissions } = await daemon.api.ok<{ permissions: { permission_id: string }[] }>(
    "GET",
    `/v1/sessions/${id}/pending`,
  )
  expect(permissions).toHaveLength(1)
  await daemon.api.ok("POST", `/v1/sessions/${id}/permissions/${permissions[0]?.permission_id}/reply`, {
    reply: "once",
  })
  expect(await prompted).toMatchObject({ stopReason: "end_turn" })
  await other.until(() => other.cancelled.length === 1)
})

test("clients without headers that share an address and their ids get their own answers, in their own bodies", async () => {
  await using daemon = await startDaemon()
  const one = new Wire(daemon)
  const two = new Wire(daemon)
  const streams = [await one.stream(), await two.stream()]
  await Promise.all([one.initialize(), two.initialize()])
  await Promise.all([one.create("a"), two.create("b")])
  const prompts = ["a", "b"].map((id, i) =>
    [one, two][i]?.ask("session/prompt", { sessionId: id, prompt: text(`hello ${id}`) }, 42),
  )
  const turns = await Promise.all(prompts)
  for (const answer of turns) expect(answer).toMatchObject({ id: 42, result: { stopReason: "end_turn" } })
  const ids = turns.map((answer) => JSON.stringify(answer?.result?._meta))
  expect(new Set(ids).size).toBe(2)
  for (const stream of streams) {
    await stream.until(({ params }) => JSON.stringify(params ?? {}).includes("hello b"))
    // The stream is shared, so it must not repeat an answer that belongs to one of them.
    expect(stream.messages.filter(({ method }) => method === undefined)).toEqual([])
  }
})

test("many prompts at once over one connection are answered one by one, each by its own turn", async () => {
  await using daemon = await startDaemon()
  await using sdk = new SdkClient(daemon, "http")
  const id = await sdk.begin()
  const words = Array.from({ length: 12 }, (_, i) => `number-${i} `)
  const answers = await Promise.all(words.map((word) => sdk.prompt(id, word)))
  const turns = answers.map(
    ({ _meta }) => (_meta as { "sandboxagent.dev": { turnId: string } })["sandboxagent.dev"].turnId,
  )
  expect(new Set(turns).size).toBe(words.length)
  expect(sdk.said(id)).toBe(words.join(""))
})

test("a hundred clients of one session all get every message", async () => {
  await using daemon = await startDaemon()
  await daemon.api.create("one")
  const wire = new Wire(daemon)
  const readers = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const connection = await wire.initialize()
      const headers = { "acp-connection-id": connection, "acp-session-id": "one" }
      const stream = await wire.stream(headers)
      const params = { sessionId: "one", cwd: "/tmp", mcpServers: [] }
      await wire.post({ jsonrpc: "2.0", id: 1, method: "session/resume", params }, headers)
      await stream.until(({ id }) => id === 1)
      return stream
    }),
  )
  await daemon.api.turn("one", "/stream 500")
  const expected = (await daemon.api.items("one")).items.find(({ role }) => role === "assistant")?.content
  for (const stream of readers) {
    const whole = () => saidIn(stream.messages)
    const length = expected?.[0]?.type === "text" ? expected[0].text.length : 0
    await expect.poll(() => whole().length).toBeGreaterThanOrEqual(length)
    expect([{ type: "text", text: whole() }]).toEqual(expected)
  }
  await Promise.all(readers.map((stream) => stream.cut()))
})

test.each(["session/load", "session/resume"])(
  "who comes later by %s is told the plan, the usage and the commands as they are now, also by a daemon that restarted",
  async (method) => {
    const dataDir = scratch()
    {
      await using daemon = await startDaemon({ dataDir })
      await daemon.api.create("one")
      await daemon.api.turn("one", "/todo")
      await daemon.api.turn("one", "/usage")
      daemon.kill("SIGKILL")
      await daemon.exited
    }
    await using daemon = await startDaemon({ dataDir })
    await using sdk = new SdkClient(daemon, "http")
    await sdk.initialize()
    await sdk.ask(method, { sessionId: "one", cwd: "/tmp", mcpServers: [] })
    const reported = (kind: string) => sdk.updates.filter(({ update }) => update.sessionUpdate === kind)
    await sdk.until(() =>
      ["plan", "usage_update", "available_commands_update"].every((kind) => reported(kind).length > 0),
    )
    const plans = (await daemon.api.events("one")).flatMap(({ type, data }) => (type === "plan.updated" ? [data] : []))
    expect(reported("plan").map(({ update }) => update)).toMatchObject(plans.slice(-1))
    expect(reported("usage_update")).toHaveLength(1)
    expect(reported("available_commands_update")[0]?.update).toMatchObject({
      availableCommands: expect.arrayContaining([expect.objectContaining({ name: "todo" })]),
    })
  },
)
