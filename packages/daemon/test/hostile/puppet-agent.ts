import { createInterface } from "node:readline"

/**
 * An ACP agent that does what a message tells it to, step by step, and says what it was answered. For what no honest
 * agent would do.
 */
export type Step =
  | { update: object }
  | { request: string; params: object }
  /** Without waiting for the answer. */
  | { send: string; params: object }
  | { raw: string }
  | { say: string }

interface Message {
  id?: number | string
  method?: string
  params?: { sessionId?: string; prompt?: { text?: string }[] }
  result?: unknown
  error?: unknown
}

const answers = new Map<string, (answer: unknown) => void>()
let ids = 0
let sessions = 0

const write = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

function ask(method: string, params: object): Promise<unknown> {
  const id = `ask-${++ids}`
  write({ id, method, params })
  return new Promise((resolve) => answers.set(id, resolve))
}

async function play(sessionId: string, text: string): Promise<void> {
  const update = (body: object) => write({ method: "session/update", params: { sessionId, update: body } })
  const say = (said: string) =>
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: said }, messageId: `m${++ids}` })
  for (const step of JSON.parse(text) as Step[]) {
    if ("update" in step) update(step.update)
    else if ("request" in step) say(JSON.stringify(await ask(step.request, { sessionId, ...step.params })))
    else if ("send" in step) void ask(step.send, { sessionId, ...step.params })
    else if ("raw" in step) process.stdout.write(`${step.raw}\n`)
    else say(step.say)
  }
}

async function receive({ id, method, params, result, error }: Message): Promise<void> {
  if (method === undefined) return answers.get(String(id))?.(error ?? result)
  if (id === undefined) return
  if (method === "initialize") return void write({ id, result: { protocolVersion: 1, agentCapabilities: {} } })
  if (method === "session/new") return void write({ id, result: { sessionId: `puppet-${++sessions}` } })
  if (method !== "session/prompt") return void write({ id, error: { code: -32601, message: "no such method" } })
  await play(params?.sessionId ?? "", params?.prompt?.[0]?.text ?? "[]")
  write({ id, result: { stopReason: "end_turn" } })
}

if (import.meta.main)
  for await (const line of createInterface({ input: process.stdin })) void receive(JSON.parse(line) as Message)
