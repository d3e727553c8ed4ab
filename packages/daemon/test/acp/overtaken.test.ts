import { expect, test } from "vitest"
import { startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { metricBecomes } from "../streaming/raw-stream.ts"
import { halt } from "../supervisor/processes.ts"
import { paused } from "./paused-stream.ts"
import { Wire } from "./wire.ts"

const start = () => startDaemon({ flags: ["--retention-bytes", "1"], intervals: { tidyMs: 100 } })
const resume = (sessionId: string) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "session/resume",
  params: { sessionId, cwd: "/tmp", mcpServers: [] },
})
/** More than sockets, and what is kept of a log in memory, hold. */
const LONG = "/stream 8000 2500"

/** Nothing tells that events were cut; the daemon looks now and then. */
async function allCut({ api }: TestDaemon, id: string): Promise<void> {
  const left = async () => {
    const { firstSequence, lastSequence } = await api.session(id)
    return lastSequence + 1 - firstSequence
  }
  await expect.poll(left, { timeout: 60_000 }).toBe(0)
}

/** A client of the official transport that follows a session, and is told of itself when it does. */
async function joined(wire: Wire, id: string) {
  const connection = { "acp-connection-id": await wire.initialize() }
  const ofSession = { ...connection, "acp-session-id": id }
  const stream = await wire.stream(ofSession)
  await wire.post(resume(id), ofSession)
  await stream.until((message) => message.id === 1)
  return { ofSession, stream }
}

test("a WebSocket that retention has overtaken is closed and told so", async () => {
  await using daemon = await start()
  await daemon.api.create("one")
  const program = `
    const ws = new WebSocket(${JSON.stringify(`${daemon.url.replace(/^http/, "ws")}/v1/rpc?agent=mock`)},
      { headers: { authorization: ${JSON.stringify(`Bearer ${daemon.token}`)} } })
    ws.onopen = () => ws.send(JSON.stringify({ jsonrpc: "2.0", id: 0, method: "initialize", params: { protocolVersion: 1 } }))
    ws.onmessage = ({ data }) => {
      const { id } = JSON.parse(data)
      if (id === 0) ws.send(${JSON.stringify(JSON.stringify(resume("one")))})
      if (id === 1) console.log("attached")
      if (data.includes("the last word")) console.log("a hole")
    }
    ws.onclose = ({ code, reason }) => console.log("closed " + code + " " + reason)`
  const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "inherit" })
  try {
    const output = child.stdout.getReader()
    let said = ""
    const until = async (words: RegExp) => {
      while (!words.test(said)) said += new TextDecoder().decode((await output.read()).value)
    }
    await until(/attached/)
    await halt(child.pid)
    await daemon.api.send("one", LONG)
    await allCut(daemon, "one")
    child.kill("SIGCONT")
    await daemon.api.send("one", "/echo the last word")
    await until(/closed .*\n|a hole/)
    expect(said).toMatch(/closed 1008 gone: /)
  } finally {
    child.kill("SIGKILL")
  }
}, 120_000)

test("a stream that retention has overtaken ends with `gone`, and so is its cursor", async () => {
  await using daemon = await start()
  await daemon.api.create("one")
  const wire = new Wire(daemon)
  const { ofSession, stream } = await joined(wire, "one")
  await stream.cut()
  await metricBecomes(daemon, "streams_open", 0)
  const slow = paused(daemon, "/v1/rpc", { ...ofSession, "last-event-id": stream.lastId })
  await slow.opened
  await daemon.api.send("one", LONG)
  await allCut(daemon, "one")
  await daemon.api.send("one", "/echo the last word")
  const text = await slow.goOn((all) => /event: error\n.*\n\n$|the last word/.test(all.slice(-10_000)))
  const told = JSON.parse(/event: error\ndata: (.*)\n\n$/.exec(text.slice(-10_000))?.[1] ?? "null")
  expect(told).toMatchObject({ type: "urn:sandbox-agent:error:gone", status: 410, sessionId: "one" })
  const last = [...text.matchAll(/^id: (\S+)$/gm)].at(-1)?.[1] ?? ""
  expect((await wire.stream({ ...ofSession, "last-event-id": last })).status).toBe(410)
}, 120_000)

test("who comes back without a cursor is told once of what it can no longer get", async () => {
  await using daemon = await start()
  await daemon.api.create("one")
  const wire = new Wire(daemon)
  const { ofSession, stream } = await joined(wire, "one")
  await stream.cut()
  await metricBecomes(daemon, "streams_open", 0)
  await daemon.api.send("one", "/echo unheard")
  await allCut(daemon, "one")
  const refused = await wire.stream(ofSession)
  expect(refused.status).toBe(410)
  expect(await refused.response.json()).toMatchObject({ sessionId: "one" })
  const again = await wire.stream(ofSession)
  expect(again.status).toBe(200)
  const heard = again.until((message) => JSON.stringify(message).includes("heard again"))
  await daemon.api.send("one", "/echo heard again")
  await heard
  await again.cut()
})

test("who had everything before it was cut off goes on, whatever is no longer kept", async () => {
  await using daemon = await start()
  await daemon.api.create("one")
  const wire = new Wire(daemon)
  const { ofSession, stream } = await joined(wire, "one")
  await daemon.api.send("one", "/echo heard")
  await stream.until((message) => JSON.stringify(message).includes("heard"))
  await allCut(daemon, "one")
  await stream.cut()
  await metricBecomes(daemon, "streams_open", 0)
  const again = await wire.stream(ofSession)
  expect(again.status).toBe(200)
  await again.cut()
})
