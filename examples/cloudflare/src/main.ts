import { getSandbox } from "@cloudflare/sandbox"
import { SandboxAgentClient } from "sandbox-agent"
import { type CloudflareOptions, cloudflare } from "sandbox-agent/cloudflare"

/** The class of the binding, which wrangler.jsonc names. */
export { Sandbox } from "@cloudflare/sandbox"

export interface Env {
  Sandbox: Parameters<typeof getSandbox>[0]
  ANTHROPIC_API_KEY?: string
  /** What callers of this Worker have to know: what agents do costs money. */
  WORKER_TOKEN: string
}

/** Asks an agent in a sandbox of Cloudflare, which is gone afterwards. */
export async function ask(env: Env, question: string, agent = "claude", options: Partial<CloudflareOptions> = {}) {
  const { ANTHROPIC_API_KEY = "" } = env
  const sandbox = cloudflare({ sandbox: (id) => getSandbox(env.Sandbox, id), env: { ANTHROPIC_API_KEY }, ...options })
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

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    if (!env.WORKER_TOKEN || request.headers.get("authorization") !== `Bearer ${env.WORKER_TOKEN}`)
      return new Response("not yours", { status: 401 })
    const agent = new URL(request.url).searchParams.get("agent") ?? "claude"
    return new Response(await ask(env, await request.text(), agent))
  },
}
