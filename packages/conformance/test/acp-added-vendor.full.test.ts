import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { opencodeBinary, tested } from "@sandbox-agent/test-agents/opencode"
import { afterAll, beforeAll, expect, test } from "vitest"
import { scriptedOpencode } from "../src/agents/opencode.ts"
import type { Scripted } from "../src/agents/scripted.ts"
import { itemsOf, textOf } from "../src/events.ts"
import { Scene } from "../src/scene.ts"
import { aboutLogs, cli, expectPassed, listed } from "./added-agents.ts"
import { testStage } from "./daemon.ts"

/** OpenCode over ACP: a vendor's agent that we have no entry and no code for; our own driver speaks to its server. */
const agent = "some-vendor"
const env: Record<string, string> = {}
const stage = testStage(env)
let scene: Scene
let scripted: Scripted
beforeAll(async () => {
  // Over ACP nothing comes into a turn that runs.
  scripted = await scriptedOpencode(join(stage.home, "home"), false)
  const config = JSON.parse(scripted.env.OPENCODE_CONFIG_CONTENT ?? "{}") as object
  // As a user has it who wants to be asked: its own default is to allow everything.
  const asking = { ...config, permission: { bash: "ask", edit: "ask" } }
  Object.assign(env, scripted.env, { OPENCODE_CONFIG_CONTENT: JSON.stringify(asking) })
  scene = await Scene.open({ ...scripted.subject, agent, skip: [] }, stage)
}, 120_000)
afterAll(async () => {
  await scene[Symbol.asyncDispose]()
  await scripted.close()
  stage.remove()
})

const core = [
  "text is answered with deltas that add up",
  "a tool call has its arguments and gets its result",
  "a permission given once lets the command run once",
  "turns follow each other in one session",
  "reasoning is streamed and marked as such",
  "a file change is on disk and shown with its diff",
  "a rejected permission refuses the tool with the message, and the model goes on",
  "permission mode plan cannot write",
  "a text is interrupted, keeps what was said, and the next message is taken",
  "messages wait for the running turn and go in their order; a waiting one can be withdrawn",
  "an image reaches the agent and stands in the transcript",
  "an attached file reaches the agent and stands in the transcript",
  "after kill -9 of the agent the turn ends, and the next message resumes it",
  "after kill -9 of the daemon the log is whole, the turn ended, and the session goes on",
  ...aboutLogs,
]

test("an agent of a vendor is added by its command and the variables it reads, and passes the core of the suite", async () => {
  const added = await cli(
    stage,
    "agents",
    "add",
    "--id",
    agent,
    "--variable",
    "OPENCODE_*",
    "--",
    opencodeBinary(),
    "acp",
  )
  expect([added.code, added.stderr]).toEqual([0, ""])
  await listed(scene.api, agent, true)
  await expectPassed(scene, core)
}, 1_800_000)

/** Names of platforms in the registry. */
const platform = `${process.platform}-${process.arch === "arm64" ? "aarch64" : "x86_64"}`

test("the same agent as an entry of the registry is downloaded with its first session", async () => {
  using server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(Bun.file(opencodeBinary())) })
  const binary = { [platform]: { archive: `${server.url}opencode`, cmd: "./opencode", args: ["acp"] } }
  const _meta = { "sandboxagent.dev": { variables: ["OPENCODE_*"] } }
  const entry = { id: "from-registry", name: "From the registry", version: tested, distribution: { binary }, _meta }
  const file = join(stage.home, "agent.json")
  writeFileSync(file, JSON.stringify(entry))
  expect((await cli(stage, "agents", "add", file)).code).toBe(0)
  await listed(scene.api, "from-registry", true)
  const { api } = scene
  expect(await api.create("downloaded", { agent: "from-registry", directory: stage.home })).toMatchObject({
    healthy: true,
  })
  expect(textOf(itemsOf(await api.turn("downloaded", await scene.prompt("say", "from afar"))))).toBe("from afar")
  expect(await api.ok("GET", "/v1/agents/from-registry")).toMatchObject({
    installed: true,
    source: "managed",
    version: tested,
  })
}, 600_000)
