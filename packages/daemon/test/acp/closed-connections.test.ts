import { expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { metricBecomes } from "../streaming/raw-stream.ts"
import { childrenOf } from "../supervisor/processes.ts"
import { type Message, type Received, Wire } from "./wire.ts"

const cwd = { cwd: "/tmp", mcpServers: [] }
const live = (daemon: TestDaemon, id: string) => daemon.api.session(id).then(({ agentProcess }) => agentProcess)
const stopped = (daemon: TestDaemon, id: string) =>
  daemon.api.until(id, "session.updated", ({ data }) => data.agent_process === "none")

/** A session made and used over a connection of its own. */
async function used(daemon: TestDaemon, path: string, id: string): Promise<Wire> {
  const wire = new Wire(daemon, path)
  await wire.initialize()
  await wire.create(id)
  await wire.ask("session/prompt", { sessionId: id, prompt: [{ type: "text", text: "/echo hello" }] })
  return wire
}

test.each(["/v1/acp/mine", "/v1/rpc"])(
  "DELETE %s: a session at rest gives up its process, and its next message brings it back",
  async (path) => {
    await using daemon = await startDaemon()
    const wire = await used(daemon, path, "one")
    const [pid] = childrenOf(daemon.pid).filter((child) => child !== daemon.pid)
    expect(await live(daemon, "one")).toBe("live")
    await wire.remove()
    await stopped(daemon, "one")
    expect(pid).toBeDefined()
    expect(await daemon.api.turn("one", "/echo again")).toBeDefined()
    expect(await live(daemon, "one")).toBe("live")
  },
)

test("so does the last connection of the official transport, and no other", async () => {
  await using daemon = await startDaemon()
  await daemon.api.create("one")
  await daemon.api.turn("one", "/echo hello")
  const wire = new Wire(daemon)
  const join = async () => {
    const headers = { "acp-connection-id": await wire.initialize(), "acp-session-id": "one" }
    const stream = await wire.stream(headers)
    const resume = { jsonrpc: "2.0", id: 1, method: "session/resume", params: { sessionId: "one", ...cwd } }
    await wire.post(resume, headers)
    await stream.until(({ id }) => id === 1)
    return { headers, stream }
  }
  const [first, second] = [await join(), await join()]
  await wire.remove(first.headers)
  // The other is only away.
  await second.stream.cut()
  expect(await live(daemon, "one")).toBe("live")
  await wire.remove(second.headers)
  await stopped(daemon, "one")
})

test("a session that runs, or that somebody reads elsewhere, keeps its process", async () => {
  await using daemon = await startDaemon()
  const busy = await used(daemon, "/v1/acp/busy", "busy")
  await daemon.api.send("busy", "/sleep 60000")
  await daemon.api.until("busy", "turn.started", ({ sequence }) => sequence > 10)
  await busy.remove()
  const read = await used(daemon, "/v1/acp/read", "read")
  const abort = new AbortController()
  const headers = { authorization: `Bearer ${daemon.token}` }
  const reader = await fetch(`${daemon.url}/v1/sessions/read/events/sse`, { headers, signal: abort.signal })
  expect(reader.status).toBe(200)
  await read.remove()
  expect([await live(daemon, "busy"), await live(daemon, "read")]).toEqual(["live", "live"])
  abort.abort()
})

test("one that runs gives it up when its turn is over, unless somebody has come meanwhile", async () => {
  await using daemon = await startDaemon({ intervals: { tidyMs: 20 } })
  const ids = ["left", "waited", "queued", "joined"] as const
  const wires = await Promise.all(ids.map((id) => used(daemon, `/v1/acp/${id}`, id)))
  // In a request of the client that leaves, which reads the session until it has its answer.
  const prompt = [{ type: "text", text: "/question" }]
  const answer = wires[1]?.ask("session/prompt", { sessionId: "waited", prompt })
  for (const id of ["left", "queued", "joined"]) await daemon.api.send(id, "/question")
  const questions = await Promise.all(ids.map((id) => daemon.api.until(id, "question.requested")))
  for (const wire of wires) await wire.remove()
  // By a message that waits, and by a connection that has no stream yet.
  await daemon.api.send("queued", "/echo next")
  await new Wire(daemon, "/v1/acp/joins").ask("session/resume", { sessionId: "joined", ...cwd })
  const processes = () => Promise.all(ids.map((id) => live(daemon, id)))
  expect(await processes()).toEqual(["live", "live", "live", "live"])

  for (const [i, id] of ids.entries()) await daemon.api.reject(id, (questions[i] as (typeof questions)[0]).data, "no")
  expect((await answer)?.result?.stopReason).toBe("end_turn")
  await daemon.api.until("queued", "item.completed", ({ data }) => JSON.stringify(data).includes("next"))
  await expect.poll(processes).toEqual(["none", "none", "live", "live"])
  expect(await daemon.api.turn("left", "/echo again")).toBeDefined()
  expect(await processes()).toEqual(["live", "none", "live", "live"])
})

test("a hundred connections opened and deleted leave no process behind", async () => {
  await using daemon = await startDaemon()
  const before = childrenOf(daemon.pid)
  for (let n = 0; n < 100; n += 10)
    await Promise.all(
      Array.from({ length: 10 }, async (_, k) => {
        const wire = new Wire(daemon, `/v1/acp/c${n + k}`)
        await wire.initialize()
        await wire.create(`s${n + k}`)
        await wire.remove()
      }),
    )
  // The watcher of processes came with the first of them and stays.
  const left = () => childrenOf(daemon.pid).filter((pid) => !before.includes(pid))
  await expect.poll(left).toHaveLength(1)
})

test("a WebSocket that says goodbye is done, one that is cut off is not", async () => {
  await using daemon = await startDaemon()
  const open = async (id: string) => {
    await daemon.api.create(id)
    const url = `${daemon.url.replace(/^http/, "ws")}/v1/rpc?agent=mock`
    const socket = new WebSocket(url, { headers: { authorization: `Bearer ${daemon.token}` } } as unknown as string[])
    const said = (n: number) =>
      new Promise<void>((resolve) => {
        socket.onmessage = ({ data }) => JSON.parse(String(data)).id === n && resolve()
      })
    await new Promise((resolve) => {
      socket.onopen = resolve
    })
    const ask = (n: number, method: string, params: object) => {
      socket.send(JSON.stringify({ jsonrpc: "2.0", id: n, method, params }))
      return said(n)
    }
    await ask(0, "initialize", { protocolVersion: 1 })
    await ask(1, "session/resume", { sessionId: id, ...cwd })
    return socket
  }
  const [polite, cut] = [await open("polite"), await open("cut")]
  cut.terminate()
  polite.close()
  await stopped(daemon, "polite")
  expect(await live(daemon, "cut")).toBe("live")
})

const isAsked = ({ method }: Message) => method === "session/request_permission"

test("a client that has begun at a shared address keeps its stream when another one leaves", async () => {
  await using daemon = await startDaemon()
  const leaving = await used(daemon, "/v1/rpc", "one")
  const staying = new Wire(daemon)
  await staying.initialize()
  const stream = await staying.stream()
  await leaving.remove()
  await staying.create("two")
  const answer = staying.ask("session/prompt", { sessionId: "two", prompt: [{ type: "text", text: "/question" }] })
  const { id, params } = await stream.until(isAsked)
  const [first] = (params?.options as { optionId: string }[] | undefined) ?? []
  await staying.post({ jsonrpc: "2.0", id, result: { outcome: { outcome: "selected", optionId: first?.optionId } } })
  expect((await answer).result?.stopReason).toBe("end_turn")
})

test("one that is between two streams as another one leaves goes on where it was", async () => {
  await using daemon = await startDaemon()
  const leaving = await used(daemon, "/v1/rpc", "one")
  const away = await used(daemon, "/v1/rpc", "two")
  const before = await away.stream()
  await away.ask("session/prompt", { sessionId: "two", prompt: [{ type: "text", text: "/echo hello" }] })
  const { id: lastId } = before.received[0] as Received
  await before.cut()
  await metricBecomes(daemon, "streams_open", 0)
  await leaving.remove()
  const after = await away.stream({ "last-event-id": lastId })
  expect(after.status).toBe(200)
  await after.until(({ params }) => JSON.stringify(params).includes("hello"))
})
