// An ACP agent for the peer that plays the bench's commands; started by the peer as its `mock`.
import { lines } from "../client/lines.ts"
import { playDeltas, write } from "../floor/deltas.ts"

interface Call {
  id?: number | string
  method?: string
  params?: { sessionId?: string; prompt?: { text?: string }[] }
}

const answer = (id: Call["id"], result: object): void => {
  if (id !== undefined) write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`)
}

let opened = 0
const update = (sessionId: string) => {
  const head = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"${sessionId}","update":`
  return (delta: string): string =>
    `${head}{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"${delta}"}}}}\n`
}

for await (const line of lines(Bun.stdin.stream())) {
  if (line.trim() === "") continue
  const call: Call = JSON.parse(line)
  if (call.method === "initialize") answer(call.id, { protocolVersion: 1, agentCapabilities: {}, authMethods: [] })
  else if (call.method === "session/new") answer(call.id, { sessionId: `bench-${++opened}` })
  else if (call.method === "session/list") answer(call.id, { sessions: [{ sessionId: "bench-1", cwd: "/tmp" }] })
  else if (call.method === "session/prompt") {
    await playDeltas(call.params?.prompt?.[0]?.text ?? "", update(call.params?.sessionId ?? "bench"))
    answer(call.id, { stopReason: "end_turn" })
  } else answer(call.id, {})
}
