import { createInterface } from "node:readline"

/** An agent that numbers its requests beyond what a double holds, and says what lines answer them. */
const write = (line: string): void => void process.stdout.write(`${line}\n`)
const heard: string[] = []
let answered = (): void => {}
const answer = async (line: string): Promise<string> => {
  write(line)
  if (heard.length === 0) await new Promise<void>((resolve) => (answered = resolve))
  return heard.shift() ?? ""
}

const say = (text: string): void =>
  write(
    JSON.stringify({
      jsonrpc: "2.0",
      method: "session/update",
      params: {
        sessionId: "native",
        update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } },
      },
    }),
  )

const permission = (id: string): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"session/request_permission","params":{"sessionId":"native","id":7,"options":[
    {"optionId":"yes","name":"Yes","kind":"allow_once"}],"toolCall":{"toolCallId":"c${id}","title":"touch","kind":"execute"}}}`.replaceAll(
    "\n",
    "",
  )

async function prompt(): Promise<void> {
  say(
    await answer(
      '{"jsonrpc":"2.0","id":9007199254740993,"method":"session/update","params":{"id":1,"sessionId":"native","update":{"sessionUpdate":"plan","entries":[]}}}',
    ),
  )
  write(permission("9223372036854775806"))
  const last = "9223372036854775807"
  write(permission(last))
  say(await answer(`{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":${last}}}`))
  if (heard.length === 0) await new Promise<void>((resolve) => (answered = resolve))
  say(heard.shift() ?? "")
}

const serve: Record<string, () => unknown> = {
  initialize: () => ({ protocolVersion: 1, agentCapabilities: {} }),
  "session/new": () => ({ sessionId: "native" }),
  "session/prompt": async () => {
    await prompt()
    return { stopReason: "end_turn" }
  },
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method } = JSON.parse(line)
  if (method === undefined) {
    heard.push(line)
    return answered()
  }
  const result = await serve[method]?.()
  if (id !== undefined) write(JSON.stringify({ jsonrpc: "2.0", id, result: result ?? {} }))
})
