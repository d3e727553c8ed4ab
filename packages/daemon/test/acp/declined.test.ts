import { expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { SdkClient } from "./sdk-client.ts"
import { text, Wire, type WireStream } from "./wire.ts"

const cannot = () => {
  throw new Error("not here")
}
const answers = { "session/request_permission": cannot, "elicitation/create": cannot }
const load = (sdk: SdkClient, sessionId: string) => sdk.ask("session/load", { sessionId, cwd: "/tmp", mcpServers: [] })

/** As a client does that has no such method. */
const decline = (wire: Wire, id: unknown) =>
  wire.post({ jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } })

const isAsked = ({ method }: { method?: string }) =>
  method === "session/request_permission" || method === "elicitation/create"

const statusOf = async (daemon: TestDaemon, id: string) =>
  (await daemon.api.events(id)).flatMap(({ type, data }) =>
    type === "permission.resolved" || type === "question.resolved" ? [data.status] : [],
  )

test.each([
  ["/permission echo no", {}, "reject"],
  ["/question", {}, "rejected"],
  ["/question", { elicitation: { form: {} } }, "rejected"],
])(
  "what all clients of a session decline is refused, and the turn goes on: %s %j",
  async (words, capabilities, status) => {
    await using daemon = await startDaemon()
    await using one = new SdkClient(daemon, "http", { answers, capabilities })
    await using two = new SdkClient(daemon, "websocket", { answers })
    const id = await one.begin()
    await two.initialize()
    await load(two, id)
    expect(await one.prompt(id, words)).toMatchObject({ stopReason: "end_turn" })
    expect(await statusOf(daemon, id)).toEqual([status])
  },
)

test("whoever reads the session over REST may still decide", async () => {
  await using daemon = await startDaemon({ intervals: { comeBackMs: 1 } })
  await using one = new SdkClient(daemon, "http", { answers })
  const id = await one.begin()
  const headers = { authorization: `Bearer ${daemon.token}` }
  const reader = await fetch(`${daemon.url}/v1/sessions/${id}/events/sse`, { headers })
  const prompted = one.prompt(id, "/permission echo yes")
  await one.until(() => one.asked.length === 1)
  // A client that comes and declines as well, and one that leaves.
  const two = new SdkClient(daemon, "websocket", { answers })
  await two.initialize()
  await load(two, id)
  await two.until(() => two.asked.length === 1)
  await two.close()
  const { permissions } = await daemon.api.ok<{ permissions: { permission_id: string }[] }>(
    "GET",
    `/v1/sessions/${id}/pending`,
  )
  const [asked] = permissions
  await daemon.api.ok("POST", `/v1/sessions/${id}/permissions/${asked?.permission_id}/reply`, { reply: "once" })
  expect(await prompted).toMatchObject({ stopReason: "end_turn" })
  expect(await statusOf(daemon, id)).toEqual(["accept"])
  await reader.body?.cancel()
})

test("without headers: a client that declines while its own prompt waits is all there is", async () => {
  await using daemon = await startDaemon()
  const wire = new Wire(daemon)
  const stream = await wire.stream()
  await wire.initialize()
  await wire.create("one")
  const prompted = wire.ask("session/prompt", { sessionId: "one", prompt: text("/permission echo no") })
  const { id } = await stream.until(isAsked)
  expect((await decline(wire, id)).status).toBe(202)
  expect(await prompted).toMatchObject({ result: { stopReason: "end_turn" } })
  expect(await statusOf(daemon, "one")).toEqual(["reject"])
  await stream.cut()
})

test("without headers: of two that share an address one may still decide what the other declined", async () => {
  await using daemon = await startDaemon()
  const wires = [new Wire(daemon), new Wire(daemon)] as const
  const streams: WireStream[] = []
  for (const wire of wires) {
    streams.push(await wire.stream())
    await wire.initialize()
    await wire.ask("session/list")
  }
  await wires[0].create("one")
  const prompted = wires[0].ask("session/prompt", { sessionId: "one", prompt: text("/permission echo yes") })
  const [asked] = await Promise.all(streams.map((stream) => stream.until(isAsked)))
  expect((await decline(wires[0], asked?.id)).body).toEqual({})
  const chosen = { outcome: { outcome: "selected", optionId: "allow_once" } }
  expect((await wires[1].post({ jsonrpc: "2.0", id: asked?.id, result: chosen })).body).toEqual({})
  expect(await prompted).toMatchObject({ result: { stopReason: "end_turn" } })
  expect(await statusOf(daemon, "one")).toEqual(["accept"])
  for (const stream of streams) await stream.cut()
})
