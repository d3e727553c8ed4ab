import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { startScriptedModel } from "@sandbox-agent/scripted-model"
import { claudeBinary } from "@sandbox-agent/test-agents/claude"
import { codexBinary } from "@sandbox-agent/test-agents/codex"
import { expect, test } from "vitest"
import { homeWith } from "../credentials/home.ts"
import { startDaemon } from "../harness/daemon.ts"

interface Unhealthy {
  healthy: boolean
  error?: { code: string; message: string; hint: string }
}

/** By agent: its program, and what gives it a model and a login once it has none. */
const agents = {
  claude: {
    program: claudeBinary,
    missing: "claude has no login: ANTHROPIC_API_KEY, ",
    run: /or log in with `\/\S+\/claude auth login`/,
    env: (url: string) => ({
      ANTHROPIC_BASE_URL: url,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      CLAUDE_CODE_MAX_RETRIES: "1",
    }),
    file: () => [".claude/settings.json", JSON.stringify({ env: { ANTHROPIC_API_KEY: "dummy" } })],
    key: { ANTHROPIC_API_KEY: "dummy" },
  },
  codex: {
    program: codexBinary,
    missing: "codex has no login: OPENAI_API_KEY ",
    run: /or log in with `\/\S+\/codex login`/,
    env: () => ({}),
    file: (url: string) => [".codex/config.toml", provider(url)],
    key: undefined,
  },
} as const

const provider = (url: string): string =>
  `model = "gpt-5.5"\nmodel_provider = "scripted"\n[model_providers.scripted]\nname = "scripted"\nbase_url = "${url}/v1"\nwire_api = "responses"\nrequest_max_retries = 0\n`

test.each(Object.entries(agents))(
  "%s without a login: told at create and by the turn, cured by the next message",
  async (agent, known) => {
    await using model = await startScriptedModel({ script: ["here I am", "and again"] })
    const home = homeWith({})
    await using daemon = await startDaemon({ flags: ["--agent-path", `${agent}=${known.program()}`] })
    const { api } = daemon
    const env = { ...known.env(model.url), HOME: home }
    const created: Unhealthy = await api.create("s", { agent, env })
    expect(created).toMatchObject({ healthy: false, error: { code: "unavailable" } })
    expect(created.error?.message).toContain(known.missing)
    expect(created.error?.hint).toMatch(known.run)
    await api.turn("s", "hi")
    expect(await api.until("s", "turn.ended")).toMatchObject({
      type: "turn.ended",
      data: {
        stop_reason: "error",
        error: { code: "authentication_failed", message: `${created.error?.message}. ${created.error?.hint}` },
      },
    })
    const process = await api.ok<{ process: object }>("GET", `/v1/agents/${agent}`)
    expect(process).toMatchObject({ process: { status: "stopped", restartCount: 0 } })

    const [name = "", text = ""] = known.file(model.url)
    mkdirSync(dirname(join(home, name)), { recursive: true })
    writeFileSync(join(home, name), text)
    expect((await api.turn("s", "hi")).at(-1)).toMatchObject({ data: { stop_reason: "end_turn" } })
    if (known.key === undefined) return
    const given = await api.create("given", { agent, env: { ...env, HOME: homeWith({}), ...known.key } })
    expect(given.healthy).toBe(true)
  },
)

test("what is not certain is tried", async () => {
  const program = join(homeWith({}), "opencode")
  writeFileSync(program, "#!/bin/sh\necho 1.18.18\n", { mode: 0o755 })
  await using daemon = await startDaemon({ flags: ["--agent-path", `opencode=${program}`] })
  const { api } = daemon
  expect(await api.ok("GET", "/v1/agents/opencode")).toMatchObject({
    credentials: "unknown",
    credentialsAvailable: false,
  })
  const created: Unhealthy = await api.create("s", { agent: "opencode", env: { HOME: homeWith({}) } })
  expect(created.error?.message).not.toContain("login")
})
