import { SandboxAgentClient } from "sandbox-agent"
import { type DaytonaOptions, daytona } from "sandbox-agent/daytona"

/** Asks an agent in a sandbox of Daytona, which is gone afterwards. */
export async function ask(question: string, agent = "claude", options: DaytonaOptions = {}, fetch = globalThis.fetch) {
  const { ANTHROPIC_API_KEY = "" } = process.env
  await using client = await SandboxAgentClient.start({
    sandbox: daytona({ env: { ANTHROPIC_API_KEY }, ...options }),
    fetch,
  })
  const session = await client.startSession({ agent })
  session.onPermission(() => "once")
  let answer = ""
  session.onEvent((event) => {
    if (event.type === "item.delta" && event.data.part.type === "text") answer += event.data.delta
  })
  await session.prompt(question)
  session.close()
  return answer
}

if (import.meta.main) console.log(await ask(process.argv[2] ?? "Write a poem about sandboxes to poem.txt"))
