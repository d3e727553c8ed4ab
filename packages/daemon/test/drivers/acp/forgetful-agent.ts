import { createInterface } from "node:readline"

/**
 * An ACP agent that says it continues a session and finds out with the first prompt that it does not know it; or, with
 * `says` as its argument, tells so when it is to resume; with `fails` it says what follows instead, with `hangs` nothing. It takes the milliseconds of its second argument for that, and
 * answers every other prompt with the prompt.
 */
interface Message {
  id?: unknown
  method?: string
  params?: { sessionId?: string; prompt?: { text?: string }[] }
}

const known = new Set<string>()
const tell = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const update = (sessionId: string, given: object) =>
  tell({ method: "session/update", params: { sessionId, update: given } })

function answer({ id, method, params: { sessionId = "", prompt = [] } = {} }: Message): void {
  const unknown = { id, error: { code: -32603, message: "Internal error", data: `thread not found: ${sessionId}` } }
  switch (method) {
    case "initialize": {
      const agentCapabilities = { loadSession: false, sessionCapabilities: { resume: {}, fork: {} } }
      return void tell({ id, result: { protocolVersion: 1, agentCapabilities, authMethods: [] } })
    }
    case "session/fork":
      return void tell({ id, error: { code: -32603, message: "Internal error" } })
    case "session/new": {
      const fresh = `native-${process.pid}-${known.size}`
      known.add(fresh)
      return void tell({ id, result: { sessionId: fresh } })
    }
    case "session/resume":
      if (process.argv[2] === "hangs") return
      if (process.argv[2] === "fails")
        return void tell({ id, error: { code: Number(process.argv[3]), message: process.argv[4] } })
      return void tell(process.argv[2] === "says" ? unknown : { id, result: {} })
    case "session/prompt": {
      // Told also where it does not know what it is about.
      update(sessionId, { sessionUpdate: "available_commands_update", availableCommands: [] })
      if (!known.has(sessionId)) return void setTimeout(() => tell(unknown), Number(process.argv[3] ?? 0))
      const text = prompt.map((block) => block.text).join("\n")
      update(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } })
      return void tell({ id, result: { stopReason: "end_turn" } })
    }
    default:
      if (id !== undefined) tell({ id, error: { code: -32601, message: "no such method" } })
  }
}

createInterface({ input: process.stdin }).on("line", (line) => answer(JSON.parse(line) as Message))
