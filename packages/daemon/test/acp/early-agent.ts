import { createInterface } from "node:readline"

/** An ACP agent that says something before it has named its session, and asks something a moment after its text. */
interface Message {
  id?: unknown
  method?: string
  params?: { sessionId?: string }
  result?: unknown
}

const write = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const say = (text: string) => {
  const update = { sessionUpdate: "agent_message_chunk", content: { type: "text", text } }
  write({ method: "session/update", params: { sessionId: "native-1", update } })
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, result } = JSON.parse(line) as Message
  if (method === undefined) return say(`answered ${JSON.stringify(result)}`)
  if (method === "initialize") return void write({ id, result: { protocolVersion: 1, agentCapabilities: {} } })
  if (method === "session/new") {
    say("welcome ")
    say("here")
    const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }]
    const toolCall = { toolCallId: "t1", title: "Trust this folder?", kind: "other" }
    write({ id: 9, method: "session/request_permission", params: { sessionId: "native-1", toolCall, options } })
    return void write({ id, result: { sessionId: "native-1" } })
  }
  if (method === "session/prompt") {
    say("done")
    return void write({ id, result: { stopReason: "end_turn" } })
  }
  if (id !== undefined) write({ id, error: { code: -32601, message: "no" } })
})
