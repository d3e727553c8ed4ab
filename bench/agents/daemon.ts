import { mkdirSync } from "node:fs"
import { delimiter, join } from "node:path"
import { SseParser } from "acp-http-client/sse"
import { api, token } from "../target/api.ts"
import { launch, temporary } from "../target/launch.ts"
import type { Target } from "../target/target.ts"
import type { BenchAgent } from "./agent.ts"
import type { Answered, Arm } from "./arm.ts"
import { workspace } from "./workspace.ts"

/** An agent that the daemon runs. */
export type Driven = Pick<BenchAgent, "name" | "folder" | "environment" | "session" | "prepare">

/** The agent as a client of the daemon has it: create, then a message whose turn is streamed. */
export async function throughDaemon(daemon: Target, agent: Driven, modelUrl: string): Promise<Arm> {
  const directory = await temporary()
  const home = join(directory, "home")
  mkdirSync(home)
  agent.prepare?.(join(directory, "data"))
  const path = [agent.folder(), process.env.PATH].join(delimiter)
  const given = agent.environment(home, modelUrl)
  const { command, env } = daemon.command(0, directory)
  const { pid, address, stop } = launch(command, { ...env, PATH: path, HOME: home, ...given.daemon }, directory)
  const port = await address
  return {
    pids: () => [pid],
    host: pid,
    async answer(name) {
      const asked = performance.now()
      const session = `/v1/sessions/${name}`
      const body = {
        agent: agent.name,
        directory: workspace(directory, name),
        ...(given.session === undefined ? {} : { env: given.session }),
        ...agent.session,
      }
      const { healthy, error } = await api<{ healthy: boolean; error?: unknown }>(port, "POST", session, body)
      if (!healthy) throw new Error(`${session}: ${JSON.stringify(error)}`)
      const ready = performance.now() - asked
      return { ready, ...(await watched(port, session, asked)) }
    },
    stop,
  }
}

/** Reads the whole turn: when its answer began and ended, and in how many pieces it came. */
async function watched(port: number, session: string, asked: number): Promise<Omit<Answered, "ready">> {
  const response = await fetch(`http://127.0.0.1:${port}${session}/messages/stream`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ message: "hello" }),
  })
  const parser = new SseParser(Number.POSITIVE_INFINITY)
  const said = { first: Number.NaN, last: Number.NaN, deltas: 0 }
  let end = ""
  for await (const bytes of response.body ?? [])
    for (const { data } of parser.push(bytes)) {
      end = data
      if (!data.includes(`"type":"item.delta"`)) continue
      said.last = performance.now() - asked
      if (said.deltas++ === 0) said.first = said.last
    }
  if (!end.includes(`"stop_reason":"end_turn"`)) throw new Error(`${session}: ${end.slice(-500)}`)
  return said
}
