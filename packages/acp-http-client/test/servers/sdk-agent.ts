import { createServer } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { type AgentContext, agent, methods } from "@agentclientprotocol/sdk"
import { createNodeHttpHandler } from "@agentclientprotocol/sdk/experimental/node"
import { AcpServer } from "@agentclientprotocol/sdk/experimental/server"

/** The official server on a free port, with an agent whose turns are written in the prompt: `say 5`, `ask`, `wait`, … */
const cancels = new Map<string, () => void>()
/** What is done when a question has come to the client. */
const asked = new Map<string, () => void>()
/** Turns that wait for a word to go on. */
const held = new Map<string, () => void>()
let sessions = 0

const text = (sessionId: string, words: string) => ({
  sessionId,
  update: { sessionUpdate: "agent_message_chunk" as const, content: { type: "text" as const, text: words } },
})

async function turn(words: string, sessionId: string, client: AgentContext, signal: AbortSignal) {
  const [verb = "", argument = ""] = words.split(" ")
  if (verb === "say")
    for (let at = 0; at < Number(argument); at++)
      await client.notify(methods.client.session.update, text(sessionId, `${at}`))
  if (verb === "hold") {
    const gone = new Promise<void>((resolve) => held.set(sessionId, resolve))
    await client.notify(methods.client.session.update, text(sessionId, "held"))
    await gone
  }
  if (verb === "tick")
    for (let at = 0; at < Number(argument); at++) {
      await client.notify(methods.client.session.update, text(sessionId, `${at}`))
      await sleep(20)
    }
  if (verb === "big") await client.notify(methods.client.session.update, text(sessionId, "x".repeat(Number(argument))))
  if (verb === "ask") {
    const answer = await client.request(methods.client.session.requestPermission, {
      sessionId,
      toolCall: { toolCallId: "t1", title: "rm" },
      options: [{ optionId: "yes", name: "Yes", kind: "allow_once" }],
    })
    await client.notify(methods.client.session.update, text(sessionId, JSON.stringify(answer)))
  }
  if (verb === "withdraw") {
    const given = new AbortController()
    const question = client.request(
      methods.client.session.requestPermission,
      { sessionId, toolCall: { toolCallId: "t2", title: "rm" }, options: [] },
      { cancellationSignal: given.signal },
    )
    // When the client has it: the two come on different streams.
    asked.set(sessionId, () => given.abort())
    const outcome = await question.then(
      () => "answered",
      (error) => `${error.code}`,
    )
    await client.notify(methods.client.session.update, text(sessionId, outcome))
  }
  if (verb === "form") {
    const answer = await client.request(methods.client.elicitation.create, {
      sessionId,
      mode: "form",
      message: "Which?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } } },
    })
    await client.notify(methods.client.session.update, text(sessionId, JSON.stringify(answer)))
  }
  if (verb === "read") {
    const answer = await client.request(methods.client.fs.readTextFile, { sessionId, path: argument }).then(
      (found) => found.content,
      (error) => `${error.code}`,
    )
    await client.notify(methods.client.session.update, text(sessionId, answer))
  }
  if (verb === "ext") {
    const answer = await client.request("_demo/ask", { sessionId, n: 1 })
    await client.notify(methods.client.session.update, text(sessionId, JSON.stringify(answer)))
    await client.notify("_demo/told", { sessionId })
  }
  if (verb === "wait" && argument !== "") await client.notify(methods.client.session.update, text(sessionId, argument))
  if (verb === "wait")
    await new Promise<void>((resolve) => {
      cancels.set(sessionId, resolve)
      signal.addEventListener("abort", () => resolve())
    })
}

const demo = () =>
  agent({ name: "demo" })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: 1,
      agentCapabilities: { loadSession: true },
      agentInfo: { name: "demo", version: "1" },
    }))
    .onRequest(methods.agent.session.new, () => ({ sessionId: `s${++sessions}` }))
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      await client.notify(methods.client.session.update, text(params.sessionId, "from history"))
      return {}
    })
    .onRequest(methods.agent.session.close, () => ({}))
    .onRequest(methods.agent.session.prompt, async ({ params, client, signal }) => {
      const [block] = params.prompt
      let cancelled = false
      cancels.set(params.sessionId, () => {
        cancelled = true
      })
      const words = block?.type === "text" ? block.text : ""
      await turn(words, params.sessionId, client, signal)
      if (words === "wait") cancelled = true
      return { stopReason: cancelled ? "cancelled" : "end_turn" }
    })
    .onNotification(methods.agent.session.cancel, ({ params }) => cancels.get(params.sessionId)?.())
    .onNotification(
      "_demo/asked",
      (params: unknown) => params as { sessionId: string },
      ({ params }) => asked.get(params.sessionId)?.(),
    )
    .onNotification(
      "_demo/go",
      (params: unknown) => params as { sessionId: string },
      ({ params }) => held.get(params.sessionId)?.(),
    )
    .onRequest(
      "_demo/echo",
      (params: unknown) => params,
      ({ params }) => ({ echoed: params }),
    )
    .onRequest(
      "_demo/slow",
      (params: unknown) => params,
      ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve({ aborted: true }))),
    )

const server = new AcpServer({ createAgent: demo })
const http = createServer(createNodeHttpHandler(server))
http.listen(Number(process.argv[2] ?? 0), "127.0.0.1", () => {
  const address = http.address()
  console.log(`listening on http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/acp`)
})
