import { Readable, Writable } from "node:stream"
import { agent, methods, ndJsonStream } from "@agentclientprotocol/sdk"

/** An agent that a user wrote: it says what it is told to say, knows what it was told, and can do nothing else. */
let count = 0
const heard = new Map<string, string>()
const cancelled = new Set<string>()

function answerTo(sessionId: string, asked: string): string {
  const [request = "", recalled = ""] = /If you were asked to say ([\s\S]*?) earlier[\s\S]*$/.exec(asked) ?? []
  // What comes with the message, such as the brief of a session it does not know, was told as well.
  const known = (heard.get(sessionId) ?? "") + asked.slice(0, asked.length - request.length)
  heard.set(sessionId, known)
  if (recalled !== "") return known.includes(recalled) ? recalled : "never"
  return /nothing else: ([\s\S]*)$/.exec(asked)?.[1] ?? "I cannot."
}

/** Numbers in words would be no better. */
async function* counting(sessionId: string): AsyncGenerator<string> {
  for (let n = 1; !cancelled.delete(sessionId); n++) {
    yield `${n}\n`
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

const app = agent({ name: "obedient" })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: 1, agentCapabilities: {} }))
  .onRequest(methods.agent.session.new, () => ({ sessionId: `s${++count}` }))
  .onNotification(methods.agent.session.cancel, ({ params }) => void cancelled.add(params.sessionId))
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const { sessionId, prompt } = params
    const asked = prompt.map((part) => (part.type === "text" ? part.text : "")).join("")
    const endless = asked.startsWith("Count from")
    const answer = answerTo(sessionId, asked)
    for await (const word of endless ? counting(sessionId) : answer.split(/(?<= )/)) {
      const update = { sessionUpdate: "agent_message_chunk" as const, content: { type: "text" as const, text: word } }
      await client.notify(methods.client.session.update, { sessionId, update })
    }
    return { stopReason: endless ? ("cancelled" as const) : ("end_turn" as const) }
  })

const output = Writable.toWeb(process.stdout)
const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>
app.connect(ndJsonStream(output, input))
