import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { scratch, type TestDaemon } from "../harness/daemon.ts"
import { childrenOf, gone, halt } from "../supervisor/processes.ts"
import { play, startPuppet } from "./puppet.ts"

const openMs = 2_000
let daemon: TestDaemon
beforeAll(async () => {
  const versions = { claude: "2.1.325", codex: "2.1.325", opencode: "1.18.18", pi: "0.87.1" }
  const paths = Object.entries(versions).flatMap(([agent, version]) => {
    const silent = join(scratch(), agent)
    writeFileSync(silent, `#!/bin/sh\ncase $1 in --version) echo ${version};; *) exec sleep 600;; esac\n`, {
      mode: 0o755,
    })
    return ["--agent-path", `${agent}=${silent}`]
  })
  daemon = await startPuppet(["--interval", `openMs=${openMs}`, ...paths], ["silent"])
})
afterAll(async () => {
  await daemon?.stop()
})

const commandOf = (pid: number): string => readFileSync(`/proc/${pid}/cmdline`, "latin1")
const processes = async (agent: string) =>
  (await daemon.api.ok<{ process: unknown }>("GET", `/v1/agents/${agent}`)).process

test.concurrent.each(["puppet", "claude", "codex"])("what %s offers is not waited for for ever", async (agent) => {
  for (const what of ["models", "modes"])
    expect(await daemon.api.call("GET", `/v1/agents/${agent}/${what}`)).toMatchObject({
      status: 504,
      body: { type: expect.stringMatching(/timeout$/) },
    })
  // Modes that only a session knows are found out by its first message; those of the others are known.
  const made = await daemon.api.call("POST", `/v1/sessions/of-${agent}`, { agent, agentMode: "unlisted" })
  expect(made.status).toBe(agent === "puppet" ? 201 : 400)
  // What was started for it does not stay.
  while (JSON.stringify(await processes(agent)).includes('"pid"')) await Bun.sleep(50)
})

test("a session that does not open says what it waited for", async () => {
  const env = { ANTHROPIC_API_KEY: "none", OPENAI_API_KEY: "none" }
  const awaited = {
    puppet: "its answer to initialize",
    claude: "its answer to initialize",
    codex: "its answer to initialize",
    opencode: "`opencode serve` to say that it listens",
    pi: "its answer to get_state",
  }
  const opened = Object.entries(awaited).map(async ([agent, what]) => {
    const made = await daemon.api.ok("POST", `/v1/sessions/waits-${agent}`, { agent, env, permissionMode: "bypass" })
    const message = expect.stringMatching(new RegExp(`did not start within ${openMs} ms: it waited for ${what}$`))
    expect([agent, made]).toMatchObject([agent, { healthy: false, error: { code: "timeout", message } }])
  })
  await Promise.all(opened)
})

test("a session of an agent that is silent fails its message", async () => {
  await daemon.api.create("silent", { agent: "puppet" })
  await daemon.api.send("silent", "[]")
  const failed = await daemon.api.until("silent", "message.updated", ({ data }) => data.state === "failed")
  expect(failed.data).toMatchObject({ state: "failed" })
})

test("an agent that closes its output and lives on is ended, and its turn with it", async () => {
  await using speaking = await startPuppet()
  await speaking.api.create("mute", { agent: "puppet" })
  expect((await play(speaking, "mute", [{ mute: true }])).at(-1)).toMatchObject({
    type: "turn.ended",
    data: { stop_reason: "error", error: { message: expect.stringContaining("closed its output") } },
  })
  // The session goes on with another process.
  expect((await play(speaking, "mute", [{ say: '"again"' }])).at(-1)).toMatchObject({
    data: { stop_reason: "end_turn" },
  })
})

/** Many times what an agent that is not silent takes to open, on this machine as it is now. */
async function enoughMs(): Promise<number> {
  await using honest = await startPuppet()
  const began = performance.now()
  await honest.api.create("one", { agent: "puppet" })
  return Math.round(1_000 + 10 * (performance.now() - began))
}

test("a process that sessions share and that stands still is left alone after the first who found out, and ended", async () => {
  await using standing = await startPuppet(["--interval", `openMs=${await enoughMs()}`])
  const { api } = standing
  const create = (id: string) =>
    api.ok<{ healthy: boolean; error?: object }>("POST", `/v1/sessions/${id}`, { agent: "puppet" })
  expect(await create("one")).toMatchObject({ healthy: true })
  await play(standing, "one", [{ say: '"here"' }])
  const agents = () => childrenOf(standing.pid).filter((pid) => commandOf(pid).includes("puppet-agent"))
  const [pid = 0] = agents()
  await halt(pid)
  expect(await create("two")).toMatchObject({ healthy: false, error: { code: "timeout" } })
  expect(await create("three")).toMatchObject({ healthy: true })
  // This one could not come back: it stays where it is for as long as it is wanted.
  await api.ok("DELETE", "/v1/sessions/one")
  await gone(pid)
  for (const id of ["two", "three"])
    expect((await play(standing, id, [{ say: '"again"' }])).at(-1)).toMatchObject({ data: { stop_reason: "end_turn" } })
  expect(agents()).toHaveLength(1)
})
