import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Api } from "../src/api.ts"
import { itemsOf, textOf } from "../src/events.ts"
import { judge } from "../src/judge.ts"
import { scenarios } from "../src/scenarios.ts"
import { Scene } from "../src/scene.ts"
import type { RunningDaemon, Subject } from "../src/subject.ts"
import { root, testStage } from "./daemon.ts"

const main = join(root, "packages/daemon/src/main.ts")
const sdkAgent = join(root, "packages/daemon/test/drivers/acp/sdk-agent.ts")
const stage = testStage()
let daemon: RunningDaemon
beforeAll(async () => {
  daemon = await stage.start()
}, 60_000)
afterAll(async () => {
  await daemon.stop()
  stage.remove()
})

async function cli(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const [group = "", verb = "", ...rest] = words
  const place = ["--data-dir", join(stage.home, "data")]
  const command = [process.execPath, "--no-env-file", main, group, verb, ...place, ...rest]
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "pipe" })
  const [stdout, stderr] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return { code: await child.exited, stdout, stderr }
}

/** A daemon that runs looks now and then. */
async function listed(id: string, there: boolean): Promise<void> {
  const api = new Api(daemon.url, daemon.token)
  while (true) {
    const { agents } = await api.ok<{ agents: { id: string }[] }>("GET", "/v1/agents")
    if (agents.some((agent) => agent.id === id) === there) return
    await Bun.sleep(100)
  }
}

const subject: Subject = {
  agent: "nobody-knows",
  acts: {
    say: (text) => `say ${text}`,
    askToRun: (command) => `ask ${command}`,
    longText: () => "slow",
  },
}

test("an agent nobody wrote code for is added by its command and passes the core of the suite", async () => {
  const entry = {
    id: "nobody-knows",
    name: "Nobody knows",
    distribution: { command: { cmd: process.execPath, args: ["--no-env-file", sdkAgent] } },
  }
  const added = await cli("agents", "add", JSON.stringify(entry))
  expect([added.code, added.stdout.split("\t").slice(0, 2)]).toEqual([0, ["nobody-knows", "Nobody knows"]])
  await listed("nobody-knows", true)
  const given = { directory: stage.directory, start: async () => ({ ...daemon, stop: async () => {} }) }
  mkdirSync(stage.directory, { recursive: true })
  const scene = await Scene.open(subject, given)
  const { capabilities } = await scene.info()
  const core = [
    "text is answered with deltas that add up",
    "turns follow each other in one session",
    "a text is interrupted, keeps what was said, and the next message is taken",
    "messages wait for the running turn and go in their order; a waiting one can be withdrawn",
    "an attached file is named in the transcript",
    ...scenarios.map(({ name }) => name).filter((name) => /^(every log|no session ended|nothing was unp)/.test(name)),
  ]
  for (const name of core) {
    const scenario = scenarios.find((one) => one.name === name)
    if (scenario === undefined) throw new Error(`no scenario ${name}`)
    const [row] = await judge(scene, scenario, capabilities)
    expect([name, row?.status, row?.error]).toEqual([name, "passed", undefined])
  }
}, 300_000)

test("it is taken away again; a name of ours and nonsense are refused", async () => {
  expect((await cli("agents", "remove", "nobody-knows")).code).toBe(0)
  await listed("nobody-knows", false)
  expect((await cli("agents", "remove", "nobody-knows")).code).toBe(4)
  const ours = await cli("agents", "add", "--id", "claude", "--", "cat")
  expect([ours.code, ours.stderr]).toEqual([5, expect.stringContaining("claude is one of our own agents")])
  const nonsense = await cli("agents", "add", '{"id":"x"}')
  expect([nonsense.code, nonsense.stderr]).toEqual([2, expect.stringContaining("name")])
  expect((await cli("agents", "add", "/no/such/program")).code).toBe(2)
}, 120_000)

test("one that is known by its command alone answers in a session at once", async () => {
  const added = await cli("agents", "add", "--id", "by-command", "--", process.execPath, "--no-env-file", sdkAgent)
  expect(added.code).toBe(0)
  await listed("by-command", true)
  const api = new Api(daemon.url, daemon.token)
  expect(await api.create("s", { agent: "by-command", directory: stage.home })).toMatchObject({ healthy: true })
  expect(textOf(itemsOf(await api.turn("s", "say hello there")))).toBe("hello there")
}, 120_000)
