import { writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { createInterface } from "node:readline"

/**
 * An agent that is difficult while it starts. With the word `asks` it answers `initialize` only when what it asks has been
 * answered. A session in a folder `never` is never answered for; in one named `late`, where it leaves a file `asked`, only once
 * it has been given up; in one whose name begins with `trust` it is answered for once a permission is, or with `trust-form` a form, and in `trust-said` it says something first;
 * of every other it tells its commands before its name. With the word `forgetful` it says that it loads sessions, and does not
 * know how; with `stuck` it loads none that it has itself. Its only prompt tells what it heard of sessions
 * that were given up.
 */
interface Message {
  id?: number | string
  method?: string
  result?: object
  params?: { cwd?: string; sessionId?: string; requestId?: number | string }
}

const say = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)
const [forgetful, stuck] = ["forgetful", "stuck"].map((word) => process.argv.includes(word))
const agentCapabilities = { loadSession: forgetful || stuck, sessionCapabilities: { close: {} } }
const initialized = { protocolVersion: 1, agentCapabilities }
const had = new Set<string>()
const late = new Map<number | string, string>()
/** What asks for its opening, by session. */
const trusting = new Map<string, number | string>()
const heard: string[] = []
let initialize: number | string | undefined
let count = 0

createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line) as Message
  const { id, method, params = {} } = message
  if (method === undefined && trusting.has(String(id))) {
    heard.push(JSON.stringify(message.result))
    say({ id: trusting.get(String(id)), result: { sessionId: id } })
  } else if (method === undefined && id === "early") {
    heard.push(JSON.stringify(message).includes("error") ? "refused" : "served")
    say({ id: initialize, result: initialized })
  } else if (method === "initialize" && process.argv.includes("mute")) return
  else if (method === "initialize") {
    initialize = id
    if (!process.argv.includes("asks")) say({ id, result: initialized })
    else say({ id: "early", method: "vendor/needs_this", params: {} })
  } else if (method === "session/new") open(id ?? 0, params.cwd ?? "")
  else if (method === "$/cancel_request") {
    const sessionId = late.get(params.requestId ?? "")
    heard.push(`cancelled ${sessionId ?? "never"}`)
    if (sessionId !== undefined) say({ id: params.requestId, result: { sessionId } })
  } else if (method === "session/close") {
    heard.push(`closed ${params.sessionId}`)
    say({ id, result: {} })
  } else if (method === "session/load" && stuck) {
    if (!had.has(params.sessionId ?? "")) say({ id, result: {} })
  } else if (method === "session/prompt") {
    const { sessionId } = params
    const content = { type: "text", text: heard.join(", ") }
    say({ method: "session/update", params: { sessionId, update: { sessionUpdate: "agent_message_chunk", content } } })
    say({ id, result: { stopReason: "end_turn" } })
  } else if (id !== undefined) say({ id, error: { code: -32601, message: "no" } })
})

const permission = (sessionId: string) => {
  const options = ["allow", "reject"].map((name) => ({ optionId: name, name, kind: `${name}_once` }))
  const toolCall = { toolCallId: `trust ${sessionId}`, title: "Trust this folder?", kind: "other" }
  return { method: "session/request_permission", params: { sessionId, toolCall, options } }
}

const form = (sessionId: string) => {
  const requestedSchema = { type: "object", properties: { key: { type: "string" }, n: { type: "integer" } } }
  return { method: "elicitation/create", params: { sessionId, mode: "form", message: "Key?", requestedSchema } }
}

function open(id: number | string, cwd: string): void {
  const folder = basename(cwd)
  const sessionId = `${folder}-${++count}`
  had.add(sessionId)
  if (folder === "never") return
  if (folder.startsWith("trust")) {
    trusting.set(sessionId, id)
    const content = { type: "text", text: "Reading the folder" }
    const update = { sessionUpdate: "agent_message_chunk", content }
    if (folder === "trust-said") say({ method: "session/update", params: { sessionId, update } })
    say({ id: sessionId, ...(folder === "trust-form" ? form(sessionId) : permission(sessionId)) })
    return
  }
  if (folder === "late") {
    late.set(id, sessionId)
    return writeFileSync(join(cwd, "asked"), "")
  }
  const update = {
    sessionUpdate: "available_commands_update",
    availableCommands: [{ name: sessionId, description: "" }],
  }
  say({ method: "session/update", params: { sessionId, update } })
  // Those that open at the same time are all told of before any is named.
  setTimeout(() => say({ id, result: { sessionId } }), 50)
}
