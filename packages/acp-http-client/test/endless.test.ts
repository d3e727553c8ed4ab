import { afterEach, expect, test, vi } from "vitest"
import { defaultLimits } from "../src/limits.ts"
import { pause, withSignal } from "../src/pause.ts"
import { SilenceTimer } from "../src/silence-timer.ts"
import { UnconfirmedCalls } from "../src/unconfirmed-calls.ts"
import { against, endAll, isPost } from "./odd-client.ts"
import { answer } from "./servers/odd-server.ts"

afterEach(async () => {
  await endAll()
  vi.restoreAllMocks()
})

/** Longer than a timer takes: it would be over at once. */
const times = [2 ** 31, Number.POSITIVE_INFINITY]
const never = new Promise<never>(() => undefined)

test.each(times)("a time of %d ms is no time limit", (ms) => {
  const timers = vi.spyOn(globalThis, "setTimeout")
  const { signal } = new AbortController()
  void pause(ms, signal)
  void withSignal(never, signal, ms)
  void new SilenceTimer(signal, () => ms).during(never)
  const call = { method: "x", posting: new AbortController(), settled: false, settle: () => undefined }
  new UnconfirmedCalls(undefined, "answer_lost", [call], ms).begin()
  expect(timers).not.toHaveBeenCalled()
})

test.each(times)("a client whose times are all %d ms waits for every answer", async (ms) => {
  const timers = vi.spyOn(globalThis, "setTimeout")
  const names = Object.keys(defaultLimits).filter((name) => name.endsWith("Ms") && !name.startsWith("reconnect"))
  const limits = { ...Object.fromEntries(names.map((name) => [name, ms])), queuedUpdates: 1 }
  const update = (text: string) => {
    const content = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } }
    const params = { sessionId: "s", update: content }
    return `data: ${JSON.stringify({ jsonrpc: "2.0", method: "session/update", params })}\n\n`
  }
  let tell: (text: string) => void = () => undefined
  const { client } = await against(
    (request, response, body) => {
      if (request.method === "GET") {
        response.writeHead(200, { "content-type": "text/event-stream" }).write(":\n\n")
        tell = (text) => response.write(text)
        return true
      }
      if (isPost(request, body, "initialize")) return answer(response, body, { protocolVersion: 1 })
      if (!isPost(request, body, "session/prompt")) return undefined
      tell(["a", "b", "c"].map(update).join(""))
      return answer(response, body, { stopReason: "end_turn" })
    },
    { limits },
  )
  await client.initialize()
  const updates = client.updates("s")[Symbol.asyncIterator]()
  const prompted = client.prompt({ sessionId: "s", prompt: [{ type: "text", text: "x" }] })
  for (const text of ["a", "b", "c"])
    expect((await updates.next()).value).toMatchObject({ update: { content: { text } } })
  void updates.next()
  expect(await prompted).toEqual({ stopReason: "end_turn" })
  await client.close()
  expect(timers.mock.calls.map(([, given]) => given ?? 0).filter((given) => given > 2 ** 31 - 1)).toEqual([])
})
