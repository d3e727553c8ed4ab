import { readdirSync } from "node:fs"
import { afterAll, expect, test } from "vitest"
import { createSupervisor } from "../../src/supervisor/supervisor.ts"
import { start } from "./processes.ts"

const variables = (agent: string) => (agent === "declared" ? ["ANTHROPIC_*", "OPENAI_API_KEY", "SANDBOX_AGENT_*"] : [])
const supervisor = createSupervisor({ daemonId: "env-test", log: () => {}, variables })
const before = { ...process.env }
afterAll(async () => {
  process.env = before
  await supervisor.stopAll()
})

async function environmentSeen(given: Record<string, string>, agent?: string): Promise<Record<string, string>> {
  const { child, lines } = start(supervisor, "", { command: ["env"], env: given, owner: "session-7", agent })
  await child.exited
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]))
}

const base = {
  LC_ALL: "C",
  XDG_CONFIG_HOME: "/config",
  https_proxy: "http://proxy",
  NO_PROXY: "localhost",
  SSL_CERT_FILE: "/cert",
  GH_TOKEN: "g",
  IS_SANDBOX: "1",
  npm_config_registry: "http://registry",
}
const declared = { ANTHROPIC_API_KEY: "a", ANTHROPIC_BASE_URL: "b", OPENAI_API_KEY: "o" }
const kept = {
  SANDBOX_AGENT_TOKEN: "secret",
  SANDBOX_AGENT_HOME: "/data",
  DATABASE_URL: "postgres://secret",
  OPENAI_API_KEY_2: "not declared",
  LD_PRELOAD_X: "x",
  CLAUDECODE: "1",
}

test("a child sees what all may see, what is declared for its agent, what was given, and its process tag", async () => {
  Object.assign(process.env, base, declared, kept)
  const seen = await environmentSeen({ GIVEN: "yes", OPENAI_API_KEY: "given" }, "declared")
  expect(seen).toMatchObject({ ...base, ...declared, GIVEN: "yes", OPENAI_API_KEY: "given", PATH: process.env.PATH })
  expect(Object.keys(seen).filter((name) => name in kept)).toEqual([])
  expect(seen.SANDBOX_AGENT_COOKIE).toMatch(/^env-test:[0-9a-f]+\.1:session-7$/)
  const { SANDBOX_AGENT_COOKIE: _, ...rest } = seen
  expect(rest).toEqual(supervisor.environment("declared", { GIVEN: "yes", OPENAI_API_KEY: "given" }))
})

test("a child of no agent, and of one that declares nothing, sees no login at all", async () => {
  Object.assign(process.env, base, declared, kept)
  for (const agent of [undefined, "other"]) {
    const seen = await environmentSeen({}, agent)
    expect(seen).toMatchObject(base)
    expect(Object.keys(seen).filter((name) => name in { ...declared, ...kept })).toEqual([])
  }
})

test("neither token nor process tag can be given", async () => {
  const seen = await environmentSeen({ SANDBOX_AGENT_TOKEN: "t", SANDBOX_AGENT_COOKIE: "c", OTHER: "o" })
  expect(seen).not.toHaveProperty("SANDBOX_AGENT_TOKEN")
  expect(seen.SANDBOX_AGENT_COOKIE).toMatch(/^env-test:/)
  expect(seen.OTHER).toBe("o")
})

test("a child holds no file of ours but its three pipes", async () => {
  const older = start(supervisor, "exec cat")
  // A shell that waits by itself: a program that is being loaded has its libraries open.
  const { child, line } = start(supervisor, "echo ready; read -r word")
  await line(0)
  expect(readdirSync(`/proc/${child.pid}/fd`)).toEqual(["0", "1", "2"])
  await Promise.all([older.child.kill(), child.kill()])
})
