import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { Api } from "../src/api.ts"
import { itemsOf, textOf } from "../src/events.ts"
import { Scene } from "../src/scene.ts"
import type { RunningDaemon, Subject } from "../src/subject.ts"
import { aboutLogs, cli, expectPassed, listed } from "./added-agents.ts"
import { root, testStage } from "./daemon.ts"

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

const subject: Subject = {
  agent: "nobody-knows",
  acts: {
    say: (text) => `say ${text}`,
    askToRun: (command) => `ask ${command}`,
    longText: () => "slow",
    sees: () => "links",
  },
}

test("an agent nobody wrote code for is added by its command and passes the core of the suite", async () => {
  const entry = {
    id: "nobody-knows",
    name: "Nobody knows",
    distribution: { command: { cmd: process.execPath, args: ["--no-env-file", sdkAgent] } },
  }
  const added = await cli(stage, "agents", "add", JSON.stringify(entry))
  expect([added.code, added.stdout]).toEqual([0, expect.stringContaining("added nobody-knows (")])
  await listed(new Api(daemon.url, daemon.token), "nobody-knows", true)
  const given = { directory: stage.directory, start: async () => ({ ...daemon, stop: async () => {} }) }
  mkdirSync(stage.directory, { recursive: true })
  const scene = await Scene.open(subject, given)
  await expectPassed(scene, [
    "text is answered with deltas that add up",
    "turns follow each other in one session",
    "a text is interrupted, keeps what was said, and the next message is taken",
    "messages wait for the running turn and go in their order; a waiting one can be withdrawn",
    "an attached file reaches the agent and stands in the transcript",
    "two sessions share one process, and the end of one leaves the other",
    ...aboutLogs,
  ])
}, 300_000)

test("it is taken away again; a name of ours and nonsense are refused", async () => {
  expect((await cli(stage, "agents", "remove", "nobody-knows")).code).toBe(0)
  await listed(new Api(daemon.url, daemon.token), "nobody-knows", false)
  expect((await cli(stage, "agents", "remove", "nobody-knows")).code).toBe(4)
  const ours = await cli(stage, "agents", "add", "--id", "claude", "--", "cat")
  expect([ours.code, ours.stderr]).toEqual([5, expect.stringContaining("claude is one of our own agents")])
  const nonsense = await cli(stage, "agents", "add", '{"id":"x"}')
  expect([nonsense.code, nonsense.stderr]).toEqual([2, expect.stringContaining("name")])
  expect((await cli(stage, "agents", "add", "/no/such/program")).code).toBe(2)
  const alone = await cli(stage, "agents", "add", "--id", "alone", "--sessions", "one", "--json", "--", "cat")
  expect(JSON.parse(alone.stdout).agents[0]._meta["sandboxagent.dev"]).toEqual({ sessions: "one" })
  const some = await cli(stage, "agents", "add", "--id", "alone", "--sessions", "some", "--", "cat")
  expect([some.code, some.stderr]).toEqual([2, expect.stringContaining("sessions")])
}, 120_000)

test("one that is known by its command alone answers in a session at once", async () => {
  const added = await cli(
    stage,
    "agents",
    "add",
    "--id",
    "by-command",
    "--",
    process.execPath,
    "--no-env-file",
    sdkAgent,
  )
  expect(added.code).toBe(0)
  await listed(new Api(daemon.url, daemon.token), "by-command", true)
  const api = new Api(daemon.url, daemon.token)
  expect(await api.create("s", { agent: "by-command", directory: stage.home })).toMatchObject({ healthy: true })
  expect(textOf(itemsOf(await api.turn("s", "say hello there")))).toBe("hello there")
}, 120_000)
