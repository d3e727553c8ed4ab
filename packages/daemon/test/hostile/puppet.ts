import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Event } from "@sandbox-agent/schema/event"
import { scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import type { Step } from "./puppet-agent.ts"

const agent = join(import.meta.dirname, "puppet-agent.ts")

/** A daemon with the agent `puppet`, which does what it is told. */
export async function startPuppet(
  flags: string[] = [],
  words: string[] = [],
  env: Record<string, string> = {},
): Promise<TestDaemon> {
  const dataDir = scratch()
  const command = { cmd: process.execPath, args: ["--no-env-file", agent, ...words] }
  const agents = [{ id: "puppet", name: "Puppet", version: "1.0.0", distribution: { command } }]
  writeFileSync(join(dataDir, "agents.json"), JSON.stringify({ agents }))
  return startDaemon({ dataDir, flags, env })
}

/** Plays steps in a session; the events of its turn. */
export const play = (daemon: TestDaemon, session: string, steps: Step[]): Promise<Event[]> =>
  daemon.api.turn(session, JSON.stringify(steps))

/** What the agent was answered, in order. */
export const answersIn = (events: readonly Event[]): Record<string, unknown>[] =>
  events.flatMap((event) => {
    if (event.type !== "item.completed" || event.data.item.role !== "assistant") return []
    return event.data.item.content.flatMap((part) => (part.type === "text" ? [JSON.parse(part.text)] : []))
  })
