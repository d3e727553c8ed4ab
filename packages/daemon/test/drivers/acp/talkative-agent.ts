import { createInterface } from "node:readline"

/**
 * An agent that goes on speaking of sessions that were closed: whenever another is opened, it says something of each, asks for a
 * permission and for a file in it. A prompt tells what it was answered.
 */
interface Message {
  id?: number | string
  method?: string
  params?: { sessionId?: string; prompt?: { text: string }[] }
  error?: { code: number }
}
const say = (message: object): void => void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const text = (sessionId: string, words: string): void =>
  say({
    method: "session/update",
    params: { sessionId, update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } } },
  })
const sessionCapabilities = { close: {}, resume: {} }
const closed = new Set<string>()
const answers: string[] = []
let asked = 0
let count = 0

function gossip(sessionId: string): void {
  text(sessionId, `the secret of ${sessionId}`)
  const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }]
  const toolCall = { toolCallId: "call", title: "secret", kind: "execute", rawInput: { command: "secret" } }
  say({ id: `asked-${++asked}`, method: "session/request_permission", params: { sessionId, toolCall, options } })
  say({ id: `asked-${++asked}`, method: "fs/read_text_file", params: { sessionId, path: process.execPath } })
}

function open(sessionId: string): void {
  closed.delete(sessionId)
  for (const other of closed) gossip(other)
  const update = { sessionUpdate: "available_commands_update", availableCommands: [{ name: sessionId }] }
  say({ method: "session/update", params: { sessionId, update } })
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {}, error } = JSON.parse(line) as Message
  const { sessionId = `S${count + 1}`, prompt } = params
  if (method === undefined) answers.push(String(error?.code ?? "served"))
  else if (method === "initialize")
    say({ id, result: { protocolVersion: 1, agentCapabilities: { sessionCapabilities } } })
  else if (method === "session/new" || method === "session/resume") {
    if (method === "session/new") count++
    open(sessionId)
    say({ id, result: method === "session/new" ? { sessionId } : {} })
  } else if (method === "session/close") {
    closed.add(sessionId)
    say({ id, result: {} })
  } else if (method === "session/prompt") {
    text(sessionId, prompt?.[0]?.text === "tell" ? answers.join(" ") : "yes")
    say({ id, result: { stopReason: "end_turn" } })
  } else if (id !== undefined) say({ id, error: { code: -32601, message: "no" } })
})
