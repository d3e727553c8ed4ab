import { SandboxAgentClient } from "sandbox-agent"

export async function tenLines(baseUrl, token) {
  const client = await SandboxAgentClient.connect({ baseUrl, token })
  const session = await client.startSession({ agent: "mock" })
  let text = ""
  session.onEvent((event) => {
    if (event.type === "item.delta") text += event.data.delta
  })
  const { stopReason } = await session.prompt("/echo hello from here")
  session.close()
  await client.dispose()
  return { text, stopReason }
}
