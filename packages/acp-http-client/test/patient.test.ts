import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createServer, type ServerResponse } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, test } from "vitest"
import { nodeProgram } from "./servers/node.ts"
import { startProcess } from "./servers/process.ts"

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const dist = mkdtempSync(join(tmpdir(), "acp-http-client-patient-"))
beforeAll(() => {
  const { status, stderr } = spawnSync(process.execPath, [here("../scripts/build.ts"), dist])
  if (status !== 0) throw new Error(`${stderr}`)
}, 180_000)
afterAll(() => rmSync(dist, { recursive: true, force: true }))

/** Without connection ids. It holds a prompt, headers and all, and says nothing on its stream, until it is told to go on. */
async function startHolding() {
  const opened: string[] = []
  let stream: ServerResponse | undefined
  let answer: (() => void) | undefined
  let held: (() => void) | undefined
  const isHeld = new Promise<void>((resolve) => {
    held = resolve
  })
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const chunk of request) body += chunk
    if (request.url === "/late-headers") return
    if (request.url === "/late-body") return void response.writeHead(200).write("the beginning")
    if (request.url === "/held") return void isHeld.then(() => response.end())
    if (request.url === "/answer") answer?.()
    if (request.url === "/say") {
      const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "at last" } }
      const message = { jsonrpc: "2.0", method: "session/update", params: { sessionId: "s", update } }
      stream?.write(`data: ${JSON.stringify(message)}\n\n`)
    }
    if (request.url !== "/acp") return void response.end()
    opened.push(request.method ?? "")
    if (request.method === "GET") {
      stream = response.writeHead(200, { "content-type": "text/event-stream" })
      return stream.flushHeaders()
    }
    if (request.method === "DELETE") return void response.writeHead(204).end()
    const { id, method } = JSON.parse(body)
    const answered = (result: object) => {
      response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ jsonrpc: "2.0", id, result }))
    }
    if (method === "initialize") return answered({ protocolVersion: 1 })
    answer = () => answered({ stopReason: "end_turn" })
    held?.()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`,
    opened,
    [Symbol.dispose]: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

test("Node: neither a prompt without headers nor a silent stream is given up when its `fetch` would", async () => {
  using server = await startHolding()
  const program = [nodeProgram(), here("patient.mjs"), join(dist, "acp-http-client.js"), server.url]
  const { url } = await startProcess(program, { says: /^(\{.*\})$/m })
  const late = ["UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"]
  expect(JSON.parse(url)).toEqual({
    impatient: [...late, ...late],
    states: ["open"],
    said: "at last",
    answer: { stopReason: "end_turn" },
  })
  // Each once: nothing was sent or opened again.
  expect(server.opened).toEqual(["POST", "GET", "POST", "DELETE"])
}, 120_000)
