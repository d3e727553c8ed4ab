import { Readable, Writable } from "node:stream"
import { agent, ndJsonStream } from "@agentclientprotocol/sdk"

/** An agent made with the official SDK, for what passes through the daemon: started by it, on stdio. */
const asJson = (params: unknown) => params as Record<string, unknown>
const app = agent({ name: "sdk" })
app.onRequest("initialize" as "_any", asJson, () => ({ protocolVersion: 1, agentCapabilities: {} }) as never)
app.onRequest("session/new" as "_any", asJson, () => ({ sessionId: "native-1" }) as never)
app.onNotification("session/cancel" as "_any", asJson, () => {})
app.onRequest("session/prompt" as "_any", asJson, (async ({ client }: never) => {
  const { notify, request } = speaker(client)
  const update = (body: object) => notify("session/update", { sessionId: "native-1", update: body })
  await update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text: "hm" }, _meta: { mine: 1 } })
  await update({
    sessionUpdate: "agent_message_chunk",
    content: { type: "text", text: "hello " },
    messageId: "m1",
    _meta: { mine: 2 },
  })
  await update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "there" }, messageId: "m1" })
  await update({
    sessionUpdate: "tool_call",
    toolCallId: "t1",
    title: "Do it",
    kind: "execute",
    status: "pending",
    rawInput: { a: 1 },
    _meta: { mine: 3 },
  })
  const options = [
    { optionId: "yes-please", name: "Yes", kind: "allow_once" },
    { optionId: "no-thanks", name: "No", kind: "reject_once" },
  ]
  const toolCall = { toolCallId: "t1", title: "Do it", kind: "execute" }
  const answer = (await request("session/request_permission", { sessionId: "native-1", toolCall, options })) as {
    outcome: { optionId?: string }
  }
  await update({
    sessionUpdate: "tool_call_update",
    toolCallId: "t1",
    status: "completed",
    rawOutput: answer.outcome,
    _meta: { mine: 4 },
  })
  await notify("_vendor/note", { sessionId: "native-1", words: "of its own" })
  return { stopReason: "end_turn" }
}) as never)

function speaker(client: unknown) {
  const { notify, request } = client as {
    notify(method: string, params: object): Promise<void>
    request(method: string, params: object): Promise<unknown>
  }
  return { notify: notify.bind(client), request: request.bind(client) }
}

app.connect(ndJsonStream(Writable.toWeb(process.stdout) as never, Readable.toWeb(process.stdin) as never) as never)
