import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { newest } from "@sandbox-agent/test-agents/claude"
import { type DriverSuite, runDriverSuite } from "../src/driver-suite.ts"
import type { TestStage } from "./daemon.ts"
import { startClaude, startCodex, startPi } from "./starts.ts"

/** What the agent kept is there, and is nothing it could have written. */
const unreadable =
  (start: DriverSuite["start"], ...kept: string[]): DriverSuite["start"] =>
  async () => {
    const started = await start()
    const folder = join((started.stage as TestStage).home, "home", ...kept)
    const forget = async () => {
      const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile())
      if (files.length === 0) throw new Error(`nothing was kept in ${folder}`)
      for (const { parentPath, name } of files) writeFileSync(join(parentPath, name), "\0 {]\nof another version\n")
    }
    return { ...started, subject: { ...started.subject, forget } }
  }

const agents: Record<string, DriverSuite["start"]> = {
  claude: unreadable(startClaude(newest), ".claude", "projects"),
  codex: unreadable(startCodex, ".codex", "sessions"),
  pi: unreadable(startPi, "agent", "sessions"),
}

// OpenCode keeps all sessions in one database: without it, it does not start, and says so.
for (const [name, start] of Object.entries(agents))
  runDriverSuite({
    name: `${name}, whose memory cannot be read`,
    start,
    only: ["what the agent has lost it is told, and the session goes on"],
  })
