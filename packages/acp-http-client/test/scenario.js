/** The same for every runtime: plain JavaScript against the built package. */
export async function scenario({ AcpHttpClient }, url, cut) {
  const seen = { states: [], text: "", asked: 0 }
  const client = new AcpHttpClient({
    url,
    limits: { reconnectMinMs: 10, reconnectMaxMs: 200 },
    onStream: ({ state }) => seen.states.push(state),
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
  const { stopReason } = await turn("say 20")
  await turn("ask")
  const long = turn("tick 60")
  await cut()
  const survived = await long
  const abort = new AbortController()
  const waiting = turn("wait").catch(() => "never")
  const aborted = client.extMethod("_demo/slow", {}, { signal: abort.signal }).catch((error) => error)
  abort.abort()
  const { kind, name } = await aborted
  await client.cancel({ sessionId })
  const cancelled = await waiting
  const open = client.extMethod("_demo/slow").catch((error) => error.kind)
  await client.close()
  await reading
  return {
    agent: agentInfo.name,
    stopReason,
    first: seen.text.startsWith("012345678910111213141516171819"),
    asked: seen.asked,
    survived: survived.stopReason,
    reconnected: seen.states.includes("reconnecting"),
    aborted: [kind, name],
    cancelled: cancelled.stopReason,
    open: await open,
  }
}
