import { existsSync, readdirSync } from "node:fs"
import { createServer, type Socket } from "node:net"
import { join } from "node:path"
import { expect, test } from "vitest"
import { startDaemon } from "../harness/daemon.ts"
import { event, fakeDaemon, sseText } from "./fake-daemon.ts"
import { cli, startCli, temporaryFolder } from "./spawn.ts"

const head = (type: string) => `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`
const chunk = (text: string): string => `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
const stat = JSON.stringify({ path: "/x", size: 9, entryType: "file" })
const sse = "text/event-stream"

/** Answers with a part of the last answer, then ends in good order or breaks the connection. Raw: no server does either on purpose. */
async function partial(answers: string[][], isCut: boolean) {
  const server = createServer((socket: Socket) => {
    socket.on("error", () => {})
    socket.on("data", () => {
      const [type = "", text = ""] = answers.shift() ?? []
      const isLast = answers.length === 0
      socket.write(head(type) + chunk(text), () => {
        if (isLast && isCut) socket.destroy()
        else socket.write("0\r\n\r\n")
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as { port: number }
  const env = { SANDBOX_AGENT_URL: `http://127.0.0.1:${port}`, SANDBOX_AGENT_TOKEN: "token" }
  return { env, [Symbol.dispose]: () => void server.close() }
}

const turn = { phase: "started", turn_id: "t", origin: "message", message_ids: ["m"] }
const begun = sseText([event("turn.started", turn, 7)])
const log = `id: 7\nevent: log\ndata: {"sequence":7,"stream":"stdout","data":"aGVs"}\n\n`
const found = 'id: 7\ndata: {"type":"name","path":"/x"}\n\n'

test.each([
  ["sessions stream-message s hi", sse, begun, "sessions stream-events s --offset 7"],
  ["sessions stream-message s hi --json", sse, begun, "sessions stream-events s --offset 7"],
  ["processes logs p --follow", sse, log, "processes logs p --follow --since 7"],
  ["fs search x", sse, found, "run the command again"],
  ["sessions get-events s --json", "application/json", '{"events":[', undefined],
  ["processes logs p --json", "application/json", '{"entries":[', undefined],
])("`%s` that ends before its end exits with 7 and says how to go on", async (words, type, part, hint) => {
  using server = await partial([[type, part]], false)
  const { code, stderr } = await cli(words.split(" "), server)
  expect([code, stderr]).toEqual([7, expect.stringContaining(hint ?? "not JSON")])
})

test.each([
  ["sessions get-events s", [["application/json", '{"events":[']]],
  ["sessions get-events s --json", [["application/json", '{"events":[']]],
  ["processes logs p", [["application/json", '{"entries":[']]],
  ["processes logs p --json", [["application/json", '{"entries":[']]],
  ["fs read /x", [["text/plain", "part"]]],
  [
    "fs get /x -",
    [
      ["application/json", stat],
      ["application/octet-stream", "part"],
    ],
  ],
])("`%s` that is cut off exits with 7 and says so", async (words, answers) => {
  using server = await partial(answers, true)
  const { code, stderr } = await cli(words.split(" "), server)
  expect([code, stderr]).toEqual([7, expect.stringContaining("the connection broke")])
  expect(stderr).toContain("run the command again")
})

test("a file that is cut off is not there, and a folder that is cut off between two files is no success", async () => {
  using folder = temporaryFolder()
  const file = join(folder.path, "file")
  using files = await partial(
    [
      ["application/json", stat],
      ["application/octet-stream", "part"],
    ],
    true,
  )
  expect((await cli(["fs", "get", "/x", file], files)).code).toBe(7)
  expect(existsSync(file)).toBe(false)
  const aFolder = JSON.stringify({ path: "/x", size: 0, entryType: "directory" })
  using folders = await partial(
    [
      ["application/json", aFolder],
      ["application/x-tar", "\0".repeat(10_240)],
    ],
    true,
  )
  expect((await cli(["fs", "get", "/x", join(folder.path, "folder")], folders)).code).toBe(7)
})

test("a turn whose daemon stops is no success; a log of events that ends with its daemon is", async () => {
  await using daemon = await startDaemon()
  const env = { SANDBOX_AGENT_URL: daemon.url, SANDBOX_AGENT_TOKEN: daemon.token }
  await daemon.api.create("s")
  const [running, events] = [
    startCli(["sessions", "stream-message", "s", "/stream 1000000 5"], { env }),
    startCli(["sessions", "stream-events", "s"], { env }),
  ]
  const heard = await Promise.all(
    [running, events].map(async ({ stdout }) => {
      const reader = stdout.getReader()
      await reader.read()
      return reader
    }),
  )
  void Promise.all(
    heard.map(async (reader) => {
      while (!(await reader.read()).done);
    }),
  )
  await daemon.stop()
  expect(await running.exited).not.toBe(0)
  expect(await events.exited).toBe(0)
})

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("`fs get` that is left by %s leaves nothing of a file", async (signal, code) => {
  using folder = temporaryFolder()
  await using daemon = fakeDaemon(({ path }) =>
    path.startsWith("/v1/fs/stat") ? Response.json(JSON.parse(stat)) : new Response(endless()),
  )
  const child = startCli(["fs", "get", "/x", join(folder.path, "x"), "--endpoint", daemon.url])
  await expect.poll(() => readdirSync(folder.path).length).toBe(1)
  child.kill(signal)
  expect(await child.exited).toBe(code)
  expect(readdirSync(folder.path)).toEqual([])
})

/** Begins, and never ends. */
const endless = () => new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from("part")) })
