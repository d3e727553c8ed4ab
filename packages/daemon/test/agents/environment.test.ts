import { readdirSync } from "node:fs"
import { afterAll, expect, test } from "vitest"
import { createSupervisor } from "../../src/agents/supervisor.ts"
import { start } from "./processes.ts"

const supervisor = createSupervisor({ daemonId: "env-test", log: () => {} })
const own = { ...process.env }
afterAll(async () => {
  process.env = own
  await supervisor.stopAll()
})

async function environmentSeen(given: Record<string, string>): Promise<Record<string, string>> {
  const { child, lines } = start(supervisor, "", { command: ["env"], env: given, owner: "session-7" })
  await child.exited
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]))
}

const allowed = {
  LC_ALL: "C",
  XDG_CONFIG_HOME: "/config",
  https_proxy: "http://proxy",
  NO_PROXY: "localhost",
  SSL_CERT_FILE: "/cert",
  ANTHROPIC_API_KEY: "a",
  OPENAI_API_KEY: "o",
  CLAUDE_CONFIG_DIR: "/claude",
  CODEX_HOME: "/codex",
  OPENROUTER_API_KEY: "r",
  GH_TOKEN: "g",
  IS_SANDBOX: "1",
  npm_config_registry: "http://registry",
}
const kept = {
  SANDBOX_AGENT_TOKEN: "secret",
  SANDBOX_AGENT_HOME: "/data",
  DATABASE_URL: "postgres://secret",
  LD_PRELOAD_X: "x",
  CLAUDECODE: "1",
}

test("a child sees the allow-listed part of our environment, what was given, and its cookie", async () => {
  Object.assign(process.env, allowed, kept)
  const seen = await environmentSeen({ GIVEN: "yes", OPENAI_API_KEY: "given" })
  expect(seen).toMatchObject({ ...allowed, GIVEN: "yes", OPENAI_API_KEY: "given", PATH: process.env.PATH })
  expect(Object.keys(seen).filter((name) => name in kept)).toEqual([])
  expect(seen.SANDBOX_AGENT_COOKIE).toMatch(/^env-test:[0-9a-f]+\.1:session-7$/)
})

test("neither token nor cookie can be given", async () => {
  const seen = await environmentSeen({ SANDBOX_AGENT_TOKEN: "t", SANDBOX_AGENT_COOKIE: "c", OTHER: "o" })
  expect(seen).not.toHaveProperty("SANDBOX_AGENT_TOKEN")
  expect(seen.SANDBOX_AGENT_COOKIE).toMatch(/^env-test:/)
  expect(seen.OTHER).toBe("o")
})

test("a child holds no file of ours but its three pipes", async () => {
  const older = start(supervisor, "exec cat")
  const { child, line } = start(supervisor, "echo ready; exec cat")
  await line(0)
  expect(readdirSync(`/proc/${child.pid}/fd`)).toEqual(["0", "1", "2"])
  await Promise.all([older.child.kill(), child.kill()])
})
