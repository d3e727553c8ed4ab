import { chmod, mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePort, healthy, launch, temporary } from "./launch.ts"
import type { Running, Session, Target } from "./target.ts"

const agent = fileURLToPath(new URL("../peer/agent.ts", import.meta.url))

/** The public Rust original, with an ACP agent of ours in place of its mock. */
export function peer(executable: string): Target {
  const command: Target["command"] = (port, directory) => ({
    command: [executable, "server", "--no-token", "--no-telemetry", "--port", String(port)],
    env: { HOME: directory, XDG_DATA_HOME: join(directory, "data") },
  })
  const start = async (): Promise<Running> => {
    const directory = await temporary()
    await placeAgent(join(directory, "data/sandbox-agent/bin/agent_processes/mock-acp"))
    const port = await freePort()
    const { command: line, env } = command(port, directory)
    const launched = launch(line, env, directory)
    await healthy(port)
    return { pid: launched.pid, port, stop: launched.stop, openSession: (id) => openSession(port, id) }
  }
  return { name: "peer", command, start }
}

/** It runs whatever lies at this place as its agent `mock`. */
async function placeAgent(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, `#!/bin/sh\nexec "${process.execPath}" "${agent}"\n`)
  await chmod(path, 0o755)
}

async function openSession(port: number, id: string): Promise<Session> {
  let next = 0
  const call = async (method: string, params: object): Promise<{ result?: { sessionId?: string } }> => {
    const answer = await fetch(`http://127.0.0.1:${port}/v1/acp/${id}?agent=mock`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++next, method, params }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`peer ${method}: ${answer.status} ${text}`)
    return JSON.parse(text)
  }
  await call("initialize", { protocolVersion: 1, clientCapabilities: {} })
  const { result } = await call("session/new", { cwd: "/tmp", mcpServers: [] })
  const sessionId = result?.sessionId ?? ""
  const prompt = (message: string) => call("session/prompt", { sessionId, prompt: [{ type: "text", text: message }] })
  return {
    marker: `"stopReason"`,
    eventsPath: () => `/v1/acp/${id}`,
    // It replays its last 1,024 messages to every new reader: streams of a new server start at its first message.
    lastSequence: async () => 0,
    send: async (message) => {
      void prompt(message).catch(() => undefined)
    },
    turn: async (message) => {
      await prompt(message)
    },
  }
}
