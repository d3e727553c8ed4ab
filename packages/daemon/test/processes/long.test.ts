import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type CheckedDaemon, startChecked } from "../api/checked-api.ts"
import { expectProblem } from "../api/contract-check.ts"
import { gone, lives } from "../supervisor/processes.ts"
import { type Entry, ProcessClient, textOf } from "./client.ts"

let daemon: CheckedDaemon
let client: ProcessClient
beforeAll(async () => {
  daemon = await startChecked()
  client = new ProcessClient(daemon)
})
afterAll(() => daemon.finish())

const status = async (method: string, path: string, body?: object) =>
  (await daemon.api.call(method, `/v1/processes/${path}`, body)).status

describe("a process", () => {
  test("goes on after its request, is listed, and tells its end", async () => {
    const { id, pid = 0 } = await client.start({ shell: "read word; echo got $word; exit 4" })
    expect(await client.get(id)).toMatchObject({ id, status: "running", pid, command: "/bin/sh" })
    expect((await client.list()).map((one) => one.id)).toContain(id)
    expect(lives(pid)).toBe(true)
    await client.input(id, "hello\n")
    const ended = await client.ended(id)
    expect(ended).toMatchObject({ status: "exited", exitCode: 4, reason: "exited", ports: [] })
    expect(ended.pid).toBeUndefined()
    expect(await client.text(id)).toBe("got hello\n")
    expect(await status("GET", "proc_none")).toBe(404)
  })

  test("takes input as base64, as text and its end; none after its end", async () => {
    const { id } = await client.start({ command: "cat" })
    const path = `${id}/input`
    const write = (body: object) => daemon.api.ok("POST", `/v1/processes/${path}`, body)
    expect(await write({ data: Buffer.from([0, 200, 10]).toString("base64") })).toEqual({ bytesWritten: 3 })
    expect(await write({ data: "é\n", encoding: "utf8" })).toEqual({ bytesWritten: 3 })
    expect(await status("POST", path, { data: "!!" })).toBe(400)
    expect(await status("POST", path, { data: "x", encoding: "rot13" })).toBe(400)
    expect(await status("POST", path, {})).toBe(400)
    await write({ end: true })
    expect(await client.ended(id)).toMatchObject({ exitCode: 0 })
    expect(await status("POST", path, { data: "eA==" })).toBe(409)
    const { entries } = await client.logs(id)
    const bytes = Buffer.concat(entries.map((entry) => Buffer.from(entry.data, "base64")))
    expect([...bytes]).toEqual([0, 200, 10, 0xc3, 0xa9, 10])
  })

  test("is signalled with its whole group, stopped and killed", async () => {
    const script = "trap 'echo hup' HUP; trap 'exit 9' TERM; echo ready; while :; do sleep 0.05; done"
    const first = await client.start({ shell: script })
    await client.said(first.id, /ready/)
    await daemon.api.ok("POST", `/v1/processes/${first.id}/signal`, { signal: "SIGHUP" })
    await client.said(first.id, /hup/)
    const stopped = await daemon.api.ok("POST", `/v1/processes/${first.id}/stop?waitMs=60000`)
    expect(stopped).toMatchObject({ status: "exited", exitCode: 9 })
    expect(await status("POST", `${first.id}/signal`, { signal: "SIGHUP" })).toBe(409)
    const stubborn = "trap '' TERM; sleep 1000 & echo $!; setsid sleep 1000 & echo $!; echo all; wait"
    const second = await client.start({ shell: stubborn })
    const [, ...pids] = await client.said(second.id, /(\d+)\n(\d+)\nall/)
    expect(await daemon.api.ok("POST", `/v1/processes/${second.id}/stop`)).toMatchObject({ status: "running" })
    const killed = await daemon.api.ok("POST", `/v1/processes/${second.id}/kill?waitMs=60000`)
    expect(killed).toMatchObject({ status: "exited", signal: "SIGKILL", reason: "signal" })
    for (const pid of pids.map(Number)) await gone(pid)
  })

  test("is forgotten when it is deleted, and not while it runs unless that is said", async () => {
    const { id, pid = 0 } = await client.start({ command: "sleep", args: ["1000"] })
    expect(await status("DELETE", id)).toBe(409)
    expect(await status("DELETE", `${id}?force=true`)).toBe(204)
    await gone(pid)
    expect(await status("GET", id)).toBe(404)
    expect(await status("GET", `${id}/logs`)).toBe(404)
  })

  test("waits no longer than it is told to", async () => {
    const { id } = await client.start({ command: "sleep", args: ["1000"] })
    expect(await daemon.api.ok("GET", `/v1/processes/${id}/wait?waitMs=50`)).toMatchObject({ status: "running" })
    await daemon.api.ok("POST", `/v1/processes/${id}/kill`)
  })
})

describe("its log", () => {
  test("has both streams in the order they came, and is read by offset, by stream and from its end", async () => {
    // Each waits until the one before was read: what lies in two pipes at once has no order.
    const { id } = await client.start({
      shell: "for i in 1 2 3; do echo out$i; read go; echo err$i >&2; read go; done",
    })
    for await (const { event } of client.follow(id)) if (event === "log") await client.input(id, "\n")
    const { entries, firstSequence, lastSequence } = await client.logs(id)
    expect([firstSequence, lastSequence]).toEqual([1, 6])
    expect(entries.map(({ sequence, stream }) => [sequence, stream])).toEqual([
      ...[1, 2, 3, 4, 5, 6].map((sequence) => [sequence, sequence % 2 === 1 ? "stdout" : "stderr"]),
    ])
    expect(await client.text(id, "?since=4")).toBe("out3\nerr3\n")
    expect(await client.text(id, "?stream=stderr")).toBe("err1\nerr2\nerr3\n")
    expect(await client.text(id, "?tail=2")).toBe("out3\nerr3\n")
    expect(await client.text(id, "?tail=2&stream=stdout")).toBe("out2\nout3\n")
    expect(await client.text(id, "?tail=0")).toBe("")
    for (const follow of [false, true]) {
      const answer = await client.daemon.api.call("GET", `/v1/processes/${id}/logs?since=7&follow=${follow}`)
      expectProblem(answer, "invalid_request")
      expect(answer.body).toMatchObject({ lastSequence: 6 })
    }
  })

  test("is followed by ids, and taken up after the last one", async () => {
    const { id } = await client.start({ shell: "echo one; read x; echo two; read x; echo three" })
    const seen: string[] = []
    let last = ""
    for await (const { event, id: at, data } of client.follow(id)) {
      if (event === "log") seen.push(textOf(JSON.parse(data) as Entry))
      last = at ?? last
      if (seen.length === 1) await client.input(id, "\n")
      if (seen.length === 2) break
    }
    await client.input(id, "\n")
    const rest = []
    for await (const frame of client.follow(id, "?since=0", { "last-event-id": last })) rest.push(frame)
    expect(seen).toEqual(["one\n", "two\n"])
    expect(rest.map(({ event }) => event)).toEqual(["log", "exit"])
    expect(textOf(JSON.parse(rest[0]?.data ?? ""))).toBe("three\n")
    expect(JSON.parse(rest[1]?.data ?? "")).toEqual({ exitCode: 0, reason: "exited" })
  })

  test("tells ports that are listened on, and those that are no longer", async () => {
    const word = crypto.randomUUID()
    const program = `const s = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("${word}") });
      process.stdin.once("data", () => { s.stop(true); process.stdin.once("data", () => process.exit(0)) })`
    // By a child of a child, as dev servers do.
    const { id } = await client.start({
      command: "sh",
      args: ["-c", '"$0" -e "$1"; exit 0', process.execPath, program],
    })
    const reported: { port: number; address: string; state: string }[] = []
    for await (const { event, data } of client.follow(id)) {
      if (event !== "port") continue
      const { port, address, state } = JSON.parse(data)
      reported.push({ port, address, state })
      if (state === "open") {
        expect((await client.get(id)).ports).toEqual([{ port, address: "127.0.0.1" }])
        expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe(word)
        await client.input(id, "x\n")
      } else await client.input(id, "x\n")
    }
    const at = { port: reported[0]?.port, address: "127.0.0.1" }
    expect(reported).toEqual([
      { ...at, state: "open" },
      { ...at, state: "closed" },
    ])
    expect((await client.logs(id)).entries).toEqual([])
  })
})
