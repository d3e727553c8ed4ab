import { Readable, Writable } from "node:stream"
import { agent, methods, ndJsonStream, type RequestPermissionResponse } from "@agentclientprotocol/sdk"

/**
 * An agent nobody wrote a driver for, by the official SDK: says what it is told (`say …`), and uses what a client offers
 * (`read`, `write`, `run`, `ask`, `form`, `slow`, `garbage`, `die`).
 */
const say = (sessionId: string, text: string) => ({
  sessionId,
  update: { sessionUpdate: "agent_message_chunk" as const, content: { type: "text" as const, text } },
})
const options = [
  { optionId: "forever", name: "Always", kind: "allow_always" as const },
  { optionId: "yes", name: "Yes", kind: "allow_once" as const },
  { optionId: "no", name: "No", kind: "reject_once" as const },
]
const cancelled = new Set<string>()
let count = 0

const app = agent({ name: "sdk-agent" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentCapabilities: { promptCapabilities: { image: true } },
    agentInfo: { name: "sdk-agent", version: "1.0.0" },
  }))
  .onRequest(methods.agent.session.new, () => ({ sessionId: `s${++count}` }))
  .onNotification(methods.agent.session.cancel, ({ params }) => void cancelled.add(params.sessionId))
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const { sessionId, prompt } = params
    const [first] = prompt
    const [verb = "", ...words] = (first?.type === "text" ? first.text : "").split(" ")
    const rest = words.join(" ")
    const tell = (text: string) => client.notify(methods.client.session.update, say(sessionId, text))
    const end = { stopReason: "end_turn" as const }
    if (verb === "say") {
      for (const word of rest.split(/(?<= )/)) await tell(word)
      return end
    }
    if (verb === "read") {
      const { content } = await client.request(methods.client.fs.readTextFile, {
        sessionId,
        path: rest,
        line: 2,
        limit: 1,
      })
      await tell(content)
    }
    if (verb === "write") {
      const written = await client
        .request(methods.client.fs.writeTextFile, { sessionId, path: rest, content: "written" })
        .then(
          () => "ok",
          (error: unknown) => `refused: ${(error as Error).message}`,
        )
      await tell(written)
    }
    if (verb === "run") await run(client, sessionId, rest, tell)
    if (verb === "ask") {
      const toolCall = {
        toolCallId: `call-${++count}`,
        title: rest,
        kind: "execute" as const,
        rawInput: { command: rest },
      }
      const asked = await client.request(methods.client.session.requestPermission, { sessionId, toolCall, options })
      const { outcome } = asked as RequestPermissionResponse
      const chosen = outcome.outcome === "selected" ? outcome.optionId : outcome.outcome
      const done = {
        ...toolCall,
        sessionUpdate: "tool_call_update" as const,
        status: "completed" as const,
        rawOutput: chosen,
      }
      await client.notify(methods.client.session.update, { sessionId, update: done })
      if (chosen === "cancelled") return { stopReason: "cancelled" as const }
      await tell(chosen ?? "")
    }
    if (verb === "form") {
      const requestedSchema = {
        type: "object" as const,
        properties: { colour: { type: "string" as const, title: "Colour", enum: ["Red", "Blue"] } },
        required: ["colour"],
      }
      const form = { mode: "form" as const, sessionId, message: "Which?", requestedSchema }
      await tell(JSON.stringify(await client.request(methods.client.elicitation.create, form)))
    }
    if (verb === "slow") {
      await tell("word ")
      while (!cancelled.delete(sessionId)) await new Promise((resolve) => setTimeout(resolve, 20))
      return { stopReason: "cancelled" as const }
    }
    if (verb === "garbage") process.stdout.write("this is no JSON\n")
    if (verb === "die") process.exit(3)
    return end
  })

async function run(client: unknown, sessionId: string, command: string, tell: (text: string) => Promise<void>) {
  const c = client as { request(method: unknown, params: object): Promise<Record<string, unknown>> }
  const { terminal } = methods.client
  const { terminalId } = await c.request(terminal.create, { sessionId, command, outputByteLimit: 1000 })
  const { exitCode } = await c.request(terminal.waitForExit, { sessionId, terminalId })
  const { output, truncated } = await c.request(terminal.output, { sessionId, terminalId })
  await c.request(terminal.release, { sessionId, terminalId })
  await tell(JSON.stringify({ output, truncated, exitCode }))
}

app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>))
