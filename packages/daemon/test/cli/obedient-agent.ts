import { Readable, Writable } from "node:stream"
import { agent, methods, ndJsonStream } from "@agentclientprotocol/sdk"

/** An agent that a user wrote: it says what it is told to say, knows what it has said, and can do nothing else. */
let count = 0
const said = new Map<string, string[]>()

function answerTo(sessionId: string, asked: string): string {
  const before = said.get(sessionId) ?? []
  const [, recalled = ""] = /asked to say ([\s\S]*) earlier/.exec(asked) ?? []
  if (recalled !== "") return before.includes(recalled) ? recalled : "never"
  const text = /nothing else: ([\s\S]*)$/.exec(asked)?.[1] ?? "I cannot."
  said.set(sessionId, [...before, text])
  return text
}

const app = agent({ name: "obedient" })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: 1, agentCapabilities: {} }))
  .onRequest(methods.agent.session.new, () => ({ sessionId: `s${++count}` }))
  .onNotification(methods.agent.session.cancel, () => {})
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const { sessionId, prompt } = params
    const asked = prompt.map((part) => (part.type === "text" ? part.text : "")).join("")
    for (const word of answerTo(sessionId, asked).split(/(?<= )/)) {
      const update = { sessionUpdate: "agent_message_chunk" as const, content: { type: "text" as const, text: word } }
      await client.notify(methods.client.session.update, { sessionId, update })
    }
    return { stopReason: "end_turn" as const }
  })

const output = Writable.toWeb(process.stdout)
const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>
app.connect(ndJsonStream(output, input))
