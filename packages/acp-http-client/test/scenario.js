/** The same for every runtime: plain JavaScript against the built package. */
export async function scenario({ AcpHttpClient }, url, cut) {
  const seen = { states: [], text: "", asked: 0 }
  const waiting = new Set()
  /** Looks again with each state of a stream. */
  const until = async (holds) => {
    while (!holds()) await new Promise((resolve) => waiting.add(resolve))
  }
  const client = new AcpHttpClient({
    url,
    limits: { reconnectMinMs: 10, reconnectMaxMs: 200 },
    onStream: ({ state, sessionId }) => {
      if (sessionId !== undefined) seen.states.push(state)
      for (const look of waiting) look()
      waiting.clear()
    },
    handlers: {
      "session/request_permission": ({ options }) => {
        seen.asked++
        return { outcome: { outcome: "selected", optionId: options[0].optionId } }
      },
    },
  })
  const { agentInfo } = await client.initialize()
  const { sessionId } = await client.newSession({ cwd: "/", mcpServers: [] })
  const reading = (async () => {
    for await (const { update } of client.updates(sessionId)) seen.text += update.content?.text ?? ""
  })()
  const turn = (text) => client.prompt({ sessionId, prompt: [{ type: "text", text }] })
  const { stopReason } = await turn("say 300")
  // A program that prints the text and ends would end here.
  const whole = seen.text.endsWith("298299")
  await turn("ask")
  const long = turn("hold")
  // Messages of a session go one after the other: the prompt is accepted before this is.
  await client.extNotification("_demo/after", { sessionId })
  await cut()
  await until(() => seen.states.includes("reconnecting") && seen.states.at(-1) === "open")
  await client.extNotification("_demo/go", { sessionId })
  const survived = await long
  const abort = new AbortController()
  const stopped = turn("wait").catch(() => "never")
  const aborted = client.extMethod("_demo/slow", {}, { signal: abort.signal }).catch((error) => error)
  abort.abort()
  const { kind, name } = await aborted
  await client.cancel({ sessionId })
  const cancelled = await stopped
  const open = client.extMethod("_demo/slow").catch((error) => error.kind)
  await client.close()
  await reading
  return {
    agent: agentInfo.name,
    stopReason,
    whole,
    first: seen.text.startsWith("012345678910111213141516171819"),
    asked: seen.asked,
    survived: survived.stopReason,
    reconnected: seen.states.includes("reconnecting"),
    aborted: [kind, name],
    cancelled: cancelled.stopReason,
    open: await open,
  }
}
