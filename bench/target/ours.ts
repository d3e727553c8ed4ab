import { existsSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { api, token } from "./api.ts"
import { launch, temporary } from "./launch.ts"
import type { Running, Session, Target } from "./target.ts"

const root = fileURLToPath(new URL("../..", import.meta.url))

function program(source: boolean): string[] {
  if (source) return [process.execPath, join(root, "packages/daemon/src/main.ts")]
  const executable = join(root, "dist/sandbox-agent")
  if (!existsSync(executable)) throw new Error("dist/sandbox-agent is missing: npm run build, or --source")
  return [executable]
}

const script = fileURLToPath(new URL("../peer/agent.ts", import.meta.url))

/**
 * The agent of the daemon: its own mock, or one that it knows by its command alone and speaks ACP with; `alone` is that
 * one, added so that each session gets a process.
 */
export type OurAgent = "mock" | "generic" | "alone"

/** The daemon of this repository. */
export function ours(source: boolean, agent: OurAgent = "mock"): Target {
  const self = program(source)
  const command: Target["command"] = (port, directory) => ({
    command: [...self, "server", "--port", String(port), "--token", token, "--data-dir", join(directory, "data")],
    env: {},
  })
  const start = async (): Promise<Running> => {
    const directory = await temporary()
    const { command: line, env } = command(0, directory)
    if (agent !== "mock") await addAgent(self, agent, join(directory, "data"))
    const launched = launch(line, env, directory)
    const port = await launched.address
    return {
      pid: launched.pid,
      port,
      token,
      agent,
      stop: launched.stop,
      openSession: (id) => openSession(port, id, agent),
    }
  }
  return { name: agent === "mock" ? "ours" : "generic", command, start }
}

/** As a user adds one: by its command. It is the agent that the peer runs. */
async function addAgent(self: string[], id: OurAgent, dataDir: string): Promise<void> {
  const sharing = id === "alone" ? ["--sessions", "one"] : []
  const add = [...self, "agents", "add", "--data-dir", dataDir, "--id", id, ...sharing, "--", process.execPath, script]
  const child = Bun.spawn(add, { stdout: "ignore", stderr: "pipe" })
  if ((await child.exited) !== 0) throw new Error(`the agent cannot be added: ${await child.stderr.text()}`)
}

async function openSession(port: number, id: string, agent: OurAgent): Promise<Session> {
  const path = `/v1/sessions/${id}`
  await api(port, "POST", path, { agent })
  return {
    marker: `"turn.ended"`,
    eventsPath: (from) => `${path}/events/sse?offset=${from}`,
    lastSequence: async () => (await api<{ lastSequence: number }>(port, "GET", path)).lastSequence,
    send: async (message) => {
      await api(port, "POST", `${path}/messages`, { message })
    },
    turn: (message) => wholeTurn(port, path, message),
  }
}

/** Sends a message and reads the stream of its turn to the end. */
async function wholeTurn(port: number, path: string, message: string): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}/messages/stream`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ message }),
  })
  const text = await answer.text()
  if (!answer.ok || !text.includes(`"stop_reason":"end_turn"`)) throw new Error(`${path}: ${text.slice(-500)}`)
}
