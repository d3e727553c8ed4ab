import { Readable, Writable } from "node:stream"
import {
  agent,
  methods,
  ndJsonStream,
  RequestError,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk"
import { KeptSessions } from "./sdk-history.ts"

/**
 * An agent nobody wrote a driver for, by the official SDK: says what it is told (`say …`), and uses what a client offers
 * (`read`, `write`, `run`, `ask`, `form`, `slow`, `deaf`, `work`, `count`, `garbage`, `die`). With a folder as its argument it keeps
 * its sessions there, and loads them: it tells their past before it answers, and knows no other way to resume. With the
 * word `single` all its sessions have one name, with `refusing` it opens one and no more.
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
let opened = 0
const folder = process.argv.slice(2).find((word) => word.startsWith("/"))
const kept = folder === undefined ? undefined : new KeptSessions(folder)
let style = "plain"
const configOptions = () => {
  const values = ["plain", "florid"].map((value) => ({ value, name: value }))
  return [{ id: "style", name: "Style", type: "select" as const, currentValue: style, options: values }]
}

const app = agent({ name: "sdk-agent" })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: 1,
    agentCapabilities: {
      promptCapabilities: { image: true },
      ...(kept && { loadSession: true, sessionCapabilities: { list: {} } }),
    },
    agentInfo: { name: "sdk-agent", version: "1.0.0" },
  }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    const alone = process.argv.includes("single")
    if (process.argv.includes("refusing") && ++opened > 1) throw RequestError.internalError(undefined, "one is enough")
    const sessionId = alone ? "main" : kept === undefined ? `s${++count}` : crypto.randomUUID()
    kept?.begin(sessionId, params.cwd)
    kept?.opened("new", sessionId)
    return { sessionId, ...(kept && { configOptions: configOptions() }) }
  })
  .onRequest(methods.agent.session.list, () => ({ sessions: kept?.list() ?? [] }))
  .onRequest(methods.agent.session.load, async ({ params, client }) => {
    const { sessionId } = params
    const past = kept?.past(sessionId)
    if (past === undefined) throw RequestError.resourceNotFound(sessionId)
    kept?.opened("load", sessionId)
    for (const update of past) await client.notify(methods.client.session.update, { sessionId, update })
    const commands = { sessionUpdate: "available_commands_update" as const, availableCommands: [] }
    await client.notify(methods.client.session.update, { sessionId, update: commands })
    return { configOptions: configOptions() }
  })
  .onRequest(methods.agent.session.setConfigOption, ({ params }) => {
    style = String(params.value)
    return { configOptions: configOptions() }
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => void cancelled.add(params.sessionId))
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const { sessionId, prompt } = params
    const [first] = prompt
    const [verb = "", ...words] = (first?.type === "text" ? first.text : "").split(" ")
    const rest = words.join(" ")
    const update = (body: SessionUpdate) => {
      kept?.add(sessionId, body)
      return client.notify(methods.client.session.update, { sessionId, update: body })
    }
    const tell = (text: string) => update(say(sessionId, text).update)
    if (first?.type === "text") kept?.add(sessionId, { sessionUpdate: "user_message_chunk", content: first })
    const end = { stopReason: "end_turn" as const }
    if (verb === "say") {
      for (const word of rest.split(/(?<= )/)) await tell(word)
      return end
    }
    if (verb === "work") for (const step of work(rest)) await update(step)
    if (verb === "count") {
      const said = kept?.past(sessionId)?.filter(({ sessionUpdate }) => sessionUpdate === "user_message_chunk")
      await tell(`${said?.length ?? 0} messages, ${style}`)
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
    if (verb === "links") await tell(prompt.flatMap((block) => ("uri" in block ? block.uri : [])).join(" "))
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
      await update(done)
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
    if (verb === "deaf") {
      await tell("word ")
      await new Promise(() => {})
    }
    if (verb === "garbage") process.stdout.write("this is no JSON\n")
    if (verb === "die") process.exit(3)
    return end
  })

/** Everything that can be told of a piece of work. */
const work = (title: string): SessionUpdate[] => [
  { sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "Let me see" } },
  { sessionUpdate: "plan", entries: [{ content: title, status: "in_progress", priority: "high" }] },
  { sessionUpdate: "tool_call", toolCallId: title, title, kind: "execute", rawInput: { command: title } },
  { sessionUpdate: "tool_call_update", toolCallId: title, status: "completed", rawOutput: "it is done" },
  { sessionUpdate: "notice", noticeId: title, severity: "info", title: "A notice" } as SessionUpdate,
  { sessionUpdate: "usage_update", used: 10, size: 100 },
  { sessionUpdate: "agent_message_chunk", content: { type: "text", text: "worked" } },
]

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
