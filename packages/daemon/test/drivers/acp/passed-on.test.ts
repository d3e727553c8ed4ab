import { expect, test } from "vitest"
import { replyForwarded } from "../../../src/core/forwarded-requests.ts"
import { PuppetStage } from "./puppet-stage.ts"

const ask = (id: string) => ({
  raw: JSON.stringify({ jsonrpc: "2.0", id, method: "_x/ask", params: { sessionId: "$SESSION" } }),
})

test("what only a client can answer is no longer asked once its agent has given it up, or its turn is over", async () => {
  await using stage = new PuppetStage()
  const session = await stage.open()
  session.acpReaders = 1
  const asked = () => stage.of("agent.native").filter(({ data }) => data.method === "_x/ask")
  const taken = { jsonrpc: "2.0", method: "$/cancel_request", params: { sessionId: "$SESSION", requestId: "first" } }
  const turn = stage.play(ask("first"), { raw: JSON.stringify(taken) }, ask("second"), {
    request: "_x/ask",
    params: {},
  })
  await stage.until("agent.native", () => asked().length === 3)
  const [first, second, third] = asked().map(({ sequence }) => sequence)
  expect([...session.forwardedRequests.keys()]).toEqual([second, third])
  await replyForwarded(session, third ?? 0, { result: {} })
  await turn
  expect([...session.forwardedRequests.keys()]).toEqual([])
  for (const sequence of [first, second])
    await expect(replyForwarded(session, sequence ?? 0, { result: {} })).rejects.toThrow("no longer waits")
})
