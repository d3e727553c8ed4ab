import { getSandbox } from "@cloudflare/sandbox"
import { SandboxAgentClient } from "sandbox-agent"
import { cloudflare } from "sandbox-agent/cloudflare"

export { Sandbox } from "./stand-in.js"

const told = (error) => ({ kind: error.kind, code: error.code, message: error.message })

export default {
  async fetch(request, env) {
    const { keep = false, remove = false, limits, id, ...options } = await request.json()
    const sandbox = cloudflare({ ...options, id, keep, sandbox: (name) => getSandbox(env.Sandbox, name) })
    try {
      const client = await SandboxAgentClient.start({ sandbox, limits })
      const session = await client.startSession({ agent: "mock" })
      let answer = ""
      for await (const event of session.events()) {
        if (event.type === "session.started") await session.send("hello")
        if (event.type === "item.delta") answer += event.data.delta
        if (event.type === "turn.ended") break
      }
      session.close()
      const terminal = await client.terminals.open({ command: "sh", args: ["-c", "read word; echo got $word"] })
      let shown = ""
      terminal.onData((bytes) => {
        shown += new TextDecoder().decode(bytes)
      })
      terminal.write("hello\r")
      const { exitCode } = await terminal.exited
      const { id: at, token } = client.sandbox
      const { sessions } = await client.rest.listSessions()
      await client.dispose()
      if (remove) await client.sandbox.remove()
      return Response.json({ answer, id: at, token, sessions: sessions.length, shown, exitCode })
    } catch (error) {
      return Response.json(told(error))
    }
  },
}
