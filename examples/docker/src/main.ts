import { SandboxAgentClient } from "sandbox-agent"
import { type DockerOptions, docker } from "sandbox-agent/docker"

/** Asks an agent in a container of its own, which sees one folder of this machine and nothing else of it. */
export async function ask(question: string, agent = "claude", options: DockerOptions = {}): Promise<string> {
  const { ANTHROPIC_API_KEY = "" } = process.env
  const sandbox = docker({ env: { ANTHROPIC_API_KEY }, mounts: { "/workspace": process.cwd() }, ...options })
  await using client = await SandboxAgentClient.start({ sandbox })
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

if (import.meta.main) console.log(await ask(process.argv[2] ?? "What does this repository do?"))
