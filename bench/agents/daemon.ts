import { mkdirSync } from "node:fs"
import { delimiter, dirname, join } from "node:path"
import { api, token } from "../target/api.ts"
import { launch, temporary } from "../target/launch.ts"
import type { Target } from "../target/target.ts"
import type { Arm } from "./arm.ts"
import { claudeEnv, claudeProgram, workspace } from "./claude.ts"

/** Claude Code as a client of the daemon has it: create, then a message whose turn is streamed. */
export async function throughDaemon(daemon: Target, modelUrl: string): Promise<Arm> {
  const directory = await temporary()
  const home = join(directory, "home")
  mkdirSync(home)
  const path = [dirname(claudeProgram()), process.env.PATH].join(delimiter)
  const { command, env } = daemon.command(0, directory)
  const { pid, address, stop } = launch(command, { ...env, PATH: path, HOME: home }, directory)
  const port = await address
  return {
    pids: () => [pid],
    host: pid,
    async answer(name) {
      const asked = performance.now()
      const session = `/v1/sessions/${name}`
      const body = { agent: "claude", directory: workspace(directory, name), env: claudeEnv(home, modelUrl) }
      const { healthy, error } = await api<{ healthy: boolean; error?: unknown }>(port, "POST", session, body)
      if (!healthy) throw new Error(`${session}: ${JSON.stringify(error)}`)
      const ready = performance.now() - asked
      return { ready, first: (await firstDelta(port, session)) - asked }
    },
    stop,
  }
}

/** Reads the whole turn and tells when the first piece of the answer came. */
async function firstDelta(port: number, session: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${port}${session}/messages/stream`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ message: "hello" }),
  })
  const decoder = new TextDecoder()
  let said = ""
  let first = Number.NaN
  for await (const bytes of response.body ?? []) {
    said += decoder.decode(bytes, { stream: true })
    if (Number.isNaN(first) && said.includes(`"item.delta"`)) first = performance.now()
  }
  if (!said.includes(`"stop_reason":"end_turn"`)) throw new Error(`${session}: ${said.slice(-500)}`)
  return first
}
