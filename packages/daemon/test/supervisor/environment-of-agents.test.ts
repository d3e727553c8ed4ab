import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { scratch, startDaemon, type TestDaemon } from "../harness/daemon.ts"
import { PrintingAgents, parsed } from "./printing-agents.ts"

/** Of providers that many agents can use. */
const provider = [
  ...["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY"],
  ...["MISTRAL_API_KEY", "KIMI_API_KEY", "DASHSCOPE_API_KEY", "AWS_SECRET_ACCESS_KEY", "OPENCODE_API_KEY"],
]
/** Of one agent alone. */
const agentVariables = [
  ...["CLAUDE_CODE_OAUTH_TOKEN", "CODEX_API_KEY", "OPENCODE_AUTH_CONTENT", "AMP_API_KEY", "PI_KEY", "QWEN_KEY"],
  ...["COPILOT_GITHUB_TOKEN", "AUGMENT_SESSION_AUTH", "KILO_API_KEY", "CLINE_API_KEY", "QODER_PERSONAL_ACCESS_TOKEN"],
  ...["JUNIE_API_KEY", "CURSOR_API_KEY", "GOOSE_KEY", "MY_AGENT_KEY", "MY_AGENT_URL", "DATABASE_URL"],
]
/** What all see. */
const all = ["HTTPS_PROXY", "GITHUB_TOKEN", "GH_TOKEN", "SSH_AUTH_SOCK", "CARGO_HOME", "LC_TIME"]

const table: Record<string, string[]> = {
  claude: ["ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "CLAUDE_CODE_OAUTH_TOKEN"],
  "claude-agent-acp": ["ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY", "CLAUDE_CODE_OAUTH_TOKEN"],
  codex: ["OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "CODEX_API_KEY"],
  "codex-acp": ["OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "CODEX_API_KEY"],
  opencode: [...provider, "OPENCODE_AUTH_CONTENT"],
  amp: ["AMP_API_KEY"],
  pi: [...provider, "PI_KEY"],
  "pi-acp": [...provider, "PI_KEY"],
  gemini: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
  "qwen-code": [...provider, "QWEN_KEY"],
  "github-copilot": ["COPILOT_GITHUB_TOKEN"],
  auggie: ["AUGMENT_SESSION_AUTH"],
  kilo: [...provider, "KILO_API_KEY"],
  cline: [...provider, "CLINE_API_KEY"],
  qoder: ["QODER_PERSONAL_ACCESS_TOKEN"],
  junie: ["JUNIE_API_KEY"],
  kimi: ["KIMI_API_KEY", "OPENAI_API_KEY"],
  "mistral-vibe": ["MISTRAL_API_KEY"],
  cursor: ["CURSOR_API_KEY"],
  goose: [...provider, "GOOSE_KEY"],
  "my-agent": ["MY_AGENT_KEY", "MY_AGENT_URL"],
  "my-quiet-agent": [],
}

/** Entries that do not say how they are asked for their version. */
const unasked = ["pi-acp", "mistral-vibe", "my-agent", "my-quiet-agent"]

const home = scratch()
const programs = new PrintingAgents(join(home, "programs"))
const values = Object.fromEntries([...provider, ...agentVariables, ...all].map((name) => [name, `value of ${name}`]))

/** Agents that were added: one says what it logs in with and what else it reads, one says nothing. */
function agentsFile(): string {
  const entry = (id: string, traits?: object) => ({
    id,
    name: id,
    distribution: { command: { cmd: programs.program(id) } },
    ...(traits && { _meta: { "sandboxagent.dev": traits } }),
  })
  const declared = { login: [{ env: "MY_AGENT_KEY" }], variables: ["MY_AGENT_U*"], env: { MY_SWITCH: "on" } }
  const path = join(home, "agents.json")
  writeFileSync(path, JSON.stringify({ agents: [entry("my-agent", declared), entry("my-quiet-agent")] }))
  return path
}

/** Made once: a program that is written anew is asked for its version anew. */
const flags = [...Object.keys(table).flatMap((agent) => programs.flag(agent)), "--agents-file", agentsFile()]

let daemon: TestDaemon
beforeAll(async () => {
  daemon = await startDaemon({ flags, env: { ...values, HOME: home, OPENCODE_AUTH_CONTENT: "{}" } })
  // A list does not wait for a program that is slow to tell its version.
  for (let untold = 1; untold > 0; ) {
    const { agents } = await daemon.api.ok<{ agents: { id: string; version?: string }[] }>("GET", "/v1/agents")
    untold = agents.filter(({ id, version }) => version === undefined && !unasked.includes(id)).length
  }
})
afterAll(() => daemon[Symbol.asyncDispose]())

const create = (agent: string, more: object = {}) =>
  daemon.api.create(`${agent}-${crypto.randomUUID()}`, { agent, ...more })

test("the table has every agent", async () => {
  const { agents } = await daemon.api.ok<{ agents: { id: string }[] }>("GET", "/v1/agents")
  expect(new Set(agents.map(({ id }) => id))).toEqual(new Set([...Object.keys(table), "mock"]))
})

test.each(Object.entries(table))("%s sees its own logins and nobody else's", async (agent, expected) => {
  const { session } = (await create(agent)) as { session: { id: string } }
  // One whose process starts with the first message has not been started yet.
  if (!programs.hasRun(agent))
    await daemon.api.call("POST", `/v1/sessions/${session.id}/messages`, { message: "hello" })
  await expect.poll(() => programs.hasRun(agent)).toBe(true)
  const seen = programs.seen(agent)
  expect(new Set([...provider, ...agentVariables].filter((name) => name in seen))).toEqual(new Set(expected))
  expect(all.filter((name) => !(name in seen))).toEqual([])
  // Asked for its version it needs none of them.
  const probed = programs.probed(agent)
  expect([...provider, ...agentVariables].filter((name) => name in probed)).toEqual([])
  expect("PATH" in probed).toBe(!unasked.includes(agent))
})

test("mock sees no login at all", async () => {
  await daemon.api.create("plain", { permissionMode: "bypass" })
  const file = join(home, "mock.env")
  await daemon.api.turn("plain", `/run env > ${file}`)
  const seen = parsed(file)
  expect([...provider, ...agentVariables].filter((name) => name in seen)).toEqual([])
  expect(seen).toMatchObject({ GH_TOKEN: "value of GH_TOKEN" })
})

test("an agent of another version that does not start is told with both versions", async () => {
  const of = async (agent: string) => ((await create(agent)) as { error?: { hint?: string } }).error?.hint
  expect(await of("claude")).toContain("Its version is 1.2.3; tested is 2.1.325.")
  expect(await of("gemini")).toContain("Its version is 1.2.3; tested is 0.61.0.")
  expect(await of("codex")).not.toContain("tested is")
  expect(await of("my-agent")).not.toContain("tested is")
})

test("what is given for a session wins, also over what an entry sets", async () => {
  await create("my-agent", { env: { MY_AGENT_KEY: "given", MY_SWITCH: "off", ANTHROPIC_API_KEY: "given" } })
  expect(programs.seen("my-agent")).toMatchObject({
    ...{ MY_AGENT_KEY: "given", MY_SWITCH: "off", ANTHROPIC_API_KEY: "given" },
    MY_AGENT_URL: "value of MY_AGENT_URL",
  })
})

/** `missing` without anything on the machine; `unknown` where nobody has said what it logs in with. */
const unsaid = ["kilo", "cline", "qoder", "junie", "kimi", "goose", "my-quiet-agent"]
type Listed = { agents: { id: string; credentials: string; credentialsAvailable: boolean }[] }

test("credentials are told of every agent: found, not found, or not known", async () => {
  const bare = Object.fromEntries(Object.keys(values).map((name) => [name, ""]))
  await using empty = await startDaemon({
    flags,
    env: { ...bare, HOME: scratch(), XDG_DATA_HOME: "", XDG_CONFIG_HOME: "" },
  })
  const listed = async ({ api }: TestDaemon) => {
    const { agents } = await api.ok<Listed>("GET", "/v1/agents")
    for (const one of agents) expect(one.credentialsAvailable, one.id).toBe(one.credentials === "available")
    return Object.fromEntries(agents.map(({ id, credentials }) => [id, credentials]))
  }
  const expected = (found: string) =>
    Object.fromEntries([
      ["mock", "available"],
      ...Object.keys(table).map((agent) => [agent, unsaid.includes(agent) ? "unknown" : found]),
    ])
  expect(await listed(daemon)).toEqual(expected("available"))
  // It has models that need no login.
  expect(await listed(empty)).toEqual({ ...expected("missing"), opencode: "unknown" })
})

describe("variables that only the user's configuration of an agent names", () => {
  test("codex: the key of a provider, and variables of its headers", async () => {
    const codex = join(home, ".codex")
    mkdirSync(codex)
    const provider = 'name = "mine"\nenv_key = "DATABASE_URL"\nenv_http_headers = { x-team = "MY_AGENT_URL" }\n'
    writeFileSync(join(codex, "config.toml"), `model_provider = "mine"\n[model_providers.mine]\n${provider}`)
    await create("codex")
    expect(programs.seen("codex")).toMatchObject({
      DATABASE_URL: "value of DATABASE_URL",
      MY_AGENT_URL: "value of MY_AGENT_URL",
    })
  })

  test("opencode: the key of a provider", async () => {
    const folder = join(home, ".config", "opencode")
    mkdirSync(folder, { recursive: true })
    const options = { apiKey: "{env:MY_AGENT_KEY}" }
    writeFileSync(join(folder, "opencode.json"), JSON.stringify({ provider: { mine: { options } } }))
    // What a look a moment ago found is used again; another version is looked for anew.
    await create("opencode", { agentVersion: "1.18.18" })
    expect(programs.seen("opencode")).toMatchObject({ MY_AGENT_KEY: "value of MY_AGENT_KEY" })
  })
})
