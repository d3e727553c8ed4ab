import { createInterface } from "node:readline"

/** An agent that writes every field of an answer, and waits for an answer to whatever it sends. */
const send = (message: object): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const waiting = new Map<string, (message: object) => void>()
let count = 0
const ask = (method: string, params: object): Promise<object> =>
  new Promise((resolve) => {
    const id = `asked-${++count}`
    waiting.set(id, resolve)
    send({ id, method, params })
  })

const say = (text: string): Promise<object> =>
  ask("session/update", {
    sessionId: "native",
    update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
  })

async function prompt(): Promise<object> {
  await say("one ")
  await ask("$/cancel_request", { requestId: "nothing" })
  const { id, ...answer } = (await say("two ")) as { id?: string }
  send({ method: "session/update", params: { sessionId: "native", update: { sessionUpdate: "plan", entries: [] } } })
  await say(JSON.stringify(answer))
  return { stopReason: "end_turn" }
}

const serve: Record<string, () => unknown> = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {} }),
  "session/new": () => ({ sessionId: "native" }),
  "session/prompt": prompt,
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, ...message } = JSON.parse(line)
  if (method === undefined) return waiting.get(id)?.({ id, ...message })
  const result = await serve[method]?.()
  if (id !== undefined) send({ id, result: result ?? {}, error: null })
})
