import { inspect } from "node:util"
import { afterAll, beforeAll, expect, test } from "vitest"
import { AcpHttpClient, type AcpHttpClientOptions } from "../src/acp-http-client.ts"
import { startLogServer } from "./servers/log-server.ts"
import { type Line, startProxy } from "./servers/proxy.ts"

let server: Awaited<ReturnType<typeof startLogServer>>
let line: Line
beforeAll(async () => {
  server = await startLogServer()
  line = await startProxy(server.url)
})
afterAll(() => {
  line.stop()
  server.stop()
})

const bad = { authorization: "Bearer se\ncret" }
const clientOf = (headers: AcpHttpClientOptions["headers"]) => new AcpHttpClient({ url: line.url, headers })
const refused = (error: unknown) => {
  expect(error).toMatchObject({ kind: "argument", name: "AcpError" })
  expect(String(error)).toContain("authorization")
  // Nor in what is printed beside the message.
  expect(inspect(error)).not.toMatch(/cret/)
}
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => expect.unreachable("it resolved"),
    (error) => error,
  )

test("headers that no request can carry are told at once, and not what is in them", () => {
  for (const value of ["se\ncret", "secret€", "se\0cret", "se\x01cret"]) {
    let thrown: unknown
    try {
      clientOf({ fine: "1", authorization: value })
    } catch (error) {
      thrown = error
    }
    refused(thrown)
  }
  expect(() => clientOf({ "no name": "1" })).toThrow('"no name"')
})

test("from a function they are told by the call, and a stream is not opened again with them", async () => {
  let asked = 0
  const wrong = clientOf(() => {
    asked++
    return bad
  })
  refused(await failure(wrong.initialize()))
  expect(asked).toBe(1)

  let isBad = false
  const later = clientOf(async () => (isBad ? bad : { authorization: "Bearer fine" }))
  await later.initialize()
  await later.newSession({ cwd: "/", mcpServers: [] })
  isBad = true
  line.cutAll()
  refused(await later.closed)
  await later.close().catch(refused)
})
