import { expect, test } from "vitest"
import { nativeLogin } from "../../src/credentials/login.ts"
import { nativeAgents } from "../../src/drivers/table.ts"
import { builtinEntries } from "../../src/registry/builtin.ts"
import { entryLogin } from "../../src/registry/login.ts"
import { homeWith } from "./home.ts"

/** Where nothing is found: what is told, or `unknown`, or `missing` without being certain of it. */
const bare: Record<string, string> = {
  claude:
    "claude has no login: ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN and CLAUDE_CODE_OAUTH_TOKEN are not set, and there is none in ~/.claude/.credentials.json, ~/.claude.json or ~/.claude/settings.json",
  codex: "codex has no login: OPENAI_API_KEY and CODEX_API_KEY are not set, and there is none in ~/.codex/auth.json",
  opencode: "unknown",
  amp: "amp has no login: AMP_API_KEY is not set, and there is none in ~/.local/share/amp/secrets.json",
  pi: "pi has no login: ANTHROPIC_API_KEY, ANTHROPIC_AUTH_TOKEN, ANTHROPIC_OAUTH_TOKEN and ",
  "claude-agent-acp": "claude has no login",
  "codex-acp": "codex has no login",
  "pi-acp": "pi has no login",
  gemini:
    "gemini has no login: GEMINI_API_KEY, GOOGLE_API_KEY and GOOGLE_APPLICATION_CREDENTIALS are not set, and there is none in ~/.gemini/oauth_creds.json",
  "qwen-code": "qwen-code has no login: OPENAI_API_KEY is not set, and there is none in ~/.qwen/oauth_creds.json",
  "github-copilot": "missing",
  auggie: "missing",
  "mistral-vibe": "missing",
  cursor: "missing",
  kilo: "unknown",
  cline: "unknown",
  qoder: "unknown",
  junie: "unknown",
  kimi: "unknown",
  goose: "unknown",
}

const loginOf = (agent: string, env: Record<string, string>, directory?: string) => {
  const entry = builtinEntries.find(({ id }) => id === agent)
  return entry === undefined ? nativeLogin(agent, env, directory) : entryLogin(entry, env, directory)
}

const agents = [
  ...nativeAgents.flatMap(({ id, credentials }) => (credentials ? [id] : [])),
  ...builtinEntries.map(({ id }) => id),
]

test("every agent that logs in is in the table", () => {
  expect(new Set(Object.keys(bare))).toEqual(new Set(agents))
})

test.each(agents)("%s, on a machine that has nothing", (agent) => {
  const { credentials, missing } = loginOf(agent, { HOME: homeWith({}) })
  const said = bare[agent] ?? ""
  if (said === "unknown" || said === "missing") return expect([credentials, missing]).toEqual([said, undefined])
  expect(credentials).toBe("missing")
  expect(missing?.detail.startsWith(said), missing?.detail).toBe(true)
  expect(missing?.hint).toMatch(
    /^Set [A-Z_]+ where the daemon runs or in `env` of the session \(`--env [A-Z_]+=…`\), or log in with `.+`\. The next message looks again\.$/,
  )
})

const claudeSettings = (env: object) => ({ ".claude/settings.json": { env } })

/** What makes each certain agent usable, or no longer certain: variables, files of the home, files of the directory. */
const found: [
  agent: string,
  state: string,
  env: object,
  home?: Record<string, unknown>,
  directory?: Record<string, unknown>,
][] = [
  ["claude", "available", { ANTHROPIC_AUTH_TOKEN: "t", ANTHROPIC_BASE_URL: "http://gateway" }],
  ["claude", "available", { CLAUDE_CODE_USE_BEDROCK: "1" }],
  ["claude", "available", {}, claudeSettings({ ANTHROPIC_AUTH_TOKEN: "t", ANTHROPIC_BASE_URL: "http://gateway" })],
  ["claude", "available", {}, claudeSettings({ CLAUDE_CODE_USE_VERTEX: "1" })],
  ["claude", "available", {}, {}, { ".claude/settings.local.json": { env: { ANTHROPIC_API_KEY: "k" } } }],
  ["claude", "available", {}, {}, { ".claude/settings.json": { apiKeyHelper: "/bin/key" } }],
  ["claude", "unknown", { ANTHROPIC_CUSTOM_HEADERS: "authorization: x" }],
  // Claude Code wants a key also for a gateway that needs none.
  ["claude", "missing", { ANTHROPIC_BASE_URL: "http://gateway" }],
  ["claude-agent-acp", "available", { ANTHROPIC_API_KEY: "k" }],
  ["codex", "available", { OPENAI_API_KEY: "k" }],
  ["codex", "unknown", { OPENAI_BASE_URL: "http://gateway" }],
  ["codex", "unknown", {}, { ".codex/config.toml": 'cli_auth_credentials_store = "keyring"' }],
  ["codex", "unknown", {}, { ".codex/config.toml": 'openai_base_url = "http://gateway"' }],
  ["codex", "available", {}, { ".codex/config.toml": 'profile = "mine"\n[profiles.mine]\nmodel_provider = "ollama"' }],
  ["codex", "available", {}, {}, { ".codex/config.toml": 'model_provider = "oss"' }],
  [
    "codex",
    "unknown",
    {},
    {
      ".codex/config.toml":
        'model_provider = "x"\n[model_providers.x]\nrequires_openai_auth = true\nhttp_headers = { a = "b" }',
    },
  ],
  ["codex", "missing", {}, { ".codex/config.toml": 'model_provider = "x"\n[model_providers.x]\nenv_key = "X_KEY"' }],
  ["codex-acp", "available", { CODEX_API_KEY: "k" }],
  ["opencode", "available", { GROQ_API_KEY: "k" }],
  ["amp", "missing", { ANTHROPIC_API_KEY: "k" }],
  ["amp", "available", { AMP_API_KEY: "k" }],
  ["pi", "unknown", { AWS_PROFILE: "work" }],
  ["pi", "unknown", {}, { ".pi/agent/models.json": { providers: { ollama: { baseUrl: "http://127.0.0.1:11434" } } } }],
  ["gemini", "available", { GEMINI_API_KEY: "k" }],
  ["gemini", "unknown", {}, { ".gemini/.env": "GEMINI_API_KEY=k" }],
  ["gemini", "unknown", {}, {}, { ".env": "GEMINI_API_KEY=k" }],
  ["qwen-code", "unknown", {}, { ".qwen/settings.json": {} }],
]

test.each(found)(
  "%s is %s with %j, a home with %j and a directory with %j",
  (agent, state, env, files = {}, here = {}) => {
    const home = homeWith(files as Record<string, object>)
    const directory = homeWith(here as Record<string, object>)
    const { credentials, missing } = loginOf(agent, { HOME: home, ...env } as Record<string, string>, directory)
    expect([credentials, missing === undefined]).toEqual([state, state !== "missing"])
  },
)

test("a variable that the configuration names is told as the one that is missing", () => {
  const home = homeWith({ ".codex/config.toml": 'model_provider = "x"\n[model_providers.x]\nenv_key = "X_KEY"' })
  const { missing } = nativeLogin("codex", { HOME: home })
  expect(missing?.detail).toContain("codex has no login: X_KEY, CODEX_API_KEY and OPENAI_API_KEY are not set")
  expect(missing?.hint).toContain("Set X_KEY where")
})
