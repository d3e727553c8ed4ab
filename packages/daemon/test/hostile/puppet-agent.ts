import { closeSync, readdirSync, readlinkSync } from "node:fs"
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
  /** A line with so much in its middle; `answer` is the id whose answer is waited for. */
  | { begin: string; middle: string; times: number; end: string; answer?: string }
  /** Says nothing more, and lives on. */
  | { mute: true }
  /** Says which MCP servers the session was made with. */
  | { servers: true }
  /** The same, with all that it was told of them. */
  | { wholeServers: true }
  | { say: string }
  /** So many milliseconds. */
  | { wait: number }
  /** Once the prompt has been answered. */
  | { late: Step[] }

interface Message {
  id?: number | string
  method?: string
  params?: { sessionId?: string; prompt?: { text?: string }[]; mcpServers?: { name: string }[] }
  result?: unknown
  error?: unknown
}

const answers = new Map<string, (answer: unknown) => void>()
let ids = 0
let sessions = 0
const servers = new Map<string, { name: string }[]>()

const write = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`)

/** The runtime holds it by more than one descriptor. */
function closeOutput(): void {
  const target = (fd: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return undefined // the one that the folder was read by
    }
  }
  const output = target("1")
  for (const fd of readdirSync("/proc/self/fd")) if (target(fd) === output) closeSync(Number(fd))
}

const answerTo = (id: string) => new Promise<unknown>((resolve) => answers.set(id, resolve))

function ask(method: string, params: object): Promise<unknown> {
  const id = `ask-${++ids}`
  write({ id, method, params })
  return answerTo(id)
}

/** Returns what is left for later. In a message `$SESSION` is the agent's own name of the session, and `$PROMPT` the id of the prompt. */
async function play(sessionId: string, prompt: string, given: string): Promise<Step[]> {
  const late: Step[] = []
  const text = given.replaceAll("$SESSION", sessionId).replaceAll("$PROMPT", prompt)
  const update = (body: object) => write({ method: "session/update", params: { sessionId, update: body } })
  const say = (said: string) =>
    update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: said }, messageId: `m${++ids}` })
  for (const step of JSON.parse(text) as Step[]) {
    if ("update" in step) update(step.update)
    else if ("request" in step) say(JSON.stringify(await ask(step.request, { sessionId, ...step.params })))
    else if ("late" in step) late.push(...step.late)
    else if ("send" in step) void ask(step.send, { sessionId, ...step.params })
    else if ("wait" in step) await Bun.sleep(step.wait)
    else if ("raw" in step) process.stdout.write(`${step.raw}\n`)
    else if ("begin" in step) {
      const { begin, middle, times, end, answer } = step
      const answered = answer === undefined ? undefined : answerTo(answer)
      process.stdout.write(`${begin}${middle.repeat(times)}${end}\n`)
      if (answered !== undefined) say(JSON.stringify(await answered))
    } else if ("mute" in step) {
      closeOutput()
      return new Promise(() => setInterval(() => {}, 60_000))
    } else if ("servers" in step) say(JSON.stringify(servers.get(sessionId)?.map(({ name }) => name)))
    else if ("wholeServers" in step) say(JSON.stringify(servers.get(sessionId)))
    else say(step.say)
  }
  return late
}

async function receive({ id, method, params, result, error }: Message): Promise<void> {
  if (method === undefined) return answers.get(String(id))?.(error ?? result)
  if (id === undefined) return
  if (method === "initialize" && process.argv.includes("silent")) return
  const web = process.argv.includes("web") ? { mcpCapabilities: { http: true, sse: true } } : {}
  const images = process.argv.includes("images") ? { promptCapabilities: { image: true } } : {}
  const can = { ...web, ...images }
  if (method === "initialize") return void write({ id, result: { protocolVersion: 1, agentCapabilities: can } })
  if (method === "session/new") {
    const sessionId = `puppet-${++sessions}`
    servers.set(sessionId, params?.mcpServers ?? [])
    return void write({ id, result: { sessionId } })
  }
  if (method !== "session/prompt") return void write({ id, error: { code: -32601, message: "no such method" } })
  // A brief may stand before it, and attachments after it.
  const script = params?.prompt?.find((part) => part.text?.startsWith("["))?.text ?? "[]"
  const late = await play(params?.sessionId ?? "", String(id), script)
  write({ id, result: { stopReason: "end_turn" } })
  if (late.length > 0) await play(params?.sessionId ?? "", String(id), JSON.stringify(late))
}

if (import.meta.main)
  for await (const line of createInterface({ input: process.stdin })) void receive(JSON.parse(line) as Message)
