import { execFileSync } from "node:child_process"
import { appendFileSync, mkdirSync, rmSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import { describe, expect, test } from "vitest"
import type { Discovery } from "../../src/credentials/credential.ts"
import { agentsWithCredentials, discover, discoverAll } from "../../src/credentials/discover.ts"
import { homeWith, jwt } from "./home.ts"

/** `provider kind source=value`, in order. */
const summaryOf = ({ credentials }: Discovery, home: string) =>
  credentials.map(({ provider, kind, source, value }) => {
    const where = "env" in source ? source.env : `${source.file.replace(`${home}/`, "~/")}#${source.key}`
    return `${provider} ${kind} ${where}=${value}`
  })

const none = homeless()
function homeless(): string {
  return "/nonexistent/home"
}

test("nothing on the machine: nothing found, nothing thrown, nothing to say", () => {
  expect(agentsWithCredentials).toEqual(["claude", "codex", "opencode", "amp", "pi"])
  for (const one of discoverAll({}, none)) expect(one).toMatchObject({ credentials: [], notes: [], available: false })
  expect(() => discover("nobody", {}, none)).toThrow(/no credentials are known for nobody/)
  expect(() => discover("constructor", {}, none)).toThrow()
})

describe("claude", () => {
  const file = {
    claudeAiOauth: { accessToken: "oat", refreshToken: "r", expiresAt: 1_800_000_000_000, subscriptionType: "max" },
  }

  test("variables before files, in the order seen on the wire", () => {
    const home = homeWith({
      ".claude/.credentials.json": file,
      ".claude.json": { primaryApiKey: "sk-console", userID: "u" },
    })
    const env = { CLAUDE_CODE_OAUTH_TOKEN: "o", ANTHROPIC_AUTH_TOKEN: "a", ANTHROPIC_API_KEY: "k" }
    const found = discover("claude", env, home)
    expect(summaryOf(found, home)).toEqual([
      "anthropic api_key ANTHROPIC_API_KEY=k",
      "anthropic auth_token ANTHROPIC_AUTH_TOKEN=a",
      "anthropic oauth CLAUDE_CODE_OAUTH_TOKEN=o",
      "anthropic oauth ~/.claude/.credentials.json#claudeAiOauth.accessToken=oat",
      "anthropic api_key ~/.claude.json#primaryApiKey=sk-console",
    ])
    expect(found.credentials[3]?.expiresAt).toBe("2027-01-15T08:00:00.000Z")
  })

  test("CLAUDE_CONFIG_DIR moves both files", () => {
    const home = homeWith({
      "moved/.credentials.json": file,
      "moved/.claude.json": { primaryApiKey: "p" },
      ".claude/.credentials.json": {},
    })
    const found = discover("claude", { CLAUDE_CONFIG_DIR: join(home, "moved") }, home)
    expect(summaryOf(found, home)).toEqual([
      "anthropic oauth ~/moved/.credentials.json#claudeAiOauth.accessToken=oat",
      "anthropic api_key ~/moved/.claude.json#primaryApiKey=p",
    ])
  })

  test("a cloud's own way or a helper is enough, without a secret", () => {
    expect(discover("claude", { CLAUDE_CODE_USE_BEDROCK: "1" }, none)).toMatchObject({
      credentials: [],
      available: true,
    })
    expect(discover("claude", { CLAUDE_CODE_USE_VERTEX: "0" }, none).available).toBe(false)
    const home = homeWith({ ".claude/settings.json": { apiKeyHelper: "/bin/key" } })
    expect(discover("claude", {}, home).available).toBe(true)
  })

  test("keys of other vendors mean nothing to it; empty variables neither", () => {
    expect(discover("claude", { OPENAI_API_KEY: "x", ANTHROPIC_API_KEY: " " }, none).available).toBe(false)
  })
})

describe("codex", () => {
  test("auth.json first; variables are found and marked as not read by the agent", () => {
    const home = homeWith({ ".codex/auth.json": { OPENAI_API_KEY: "sk-file" } })
    const found = discover("codex", { OPENAI_API_KEY: "sk-env", CODEX_API_KEY: "ck", CODEX_ACCESS_TOKEN: "t" }, home)
    expect(summaryOf(found, home)).toEqual([
      "openai api_key ~/.codex/auth.json#OPENAI_API_KEY=sk-file",
      "openai api_key CODEX_API_KEY=ck",
      "openai api_key OPENAI_API_KEY=sk-env",
    ])
    expect(found.credentials.map(({ ignoredByAgent }) => ignoredByAgent)).toEqual([undefined, true, true])
    expect(found.notes.join()).toContain("CODEX_ACCESS_TOKEN")
  })

  test("a ChatGPT login, with the end of its token", () => {
    const tokens = { access_token: jwt(1_800_000_000), refresh_token: "r", account_id: "a" }
    const home = homeWith({ "own/auth.json": { auth_mode: "chatgpt", OPENAI_API_KEY: null, tokens } })
    const found = discover("codex", { CODEX_HOME: join(home, "own") }, home)
    expect(found.credentials).toEqual([
      expect.objectContaining({ kind: "oauth", provider: "openai", expiresAt: "2027-01-15T08:00:00.000Z" }),
    ])
    const both = homeWith({ ".codex/auth.json": { auth_mode: "chatgpt", OPENAI_API_KEY: "k", tokens } })
    expect(discover("codex", {}, both).credentials.map(({ kind }) => kind)).toEqual(["oauth", "api_key"])
  })

  test("a provider of its configuration: by the variable it names, or without a login", () => {
    const config = 'model_provider = "mine"\n[model_providers.mine]\nbase_url = "http://x"\n'
    const named = homeWith({ ".codex/config.toml": `${config}env_key = "MINE_KEY"\n` })
    expect(summaryOf(discover("codex", { MINE_KEY: "m" }, named), named)).toEqual(["mine api_key MINE_KEY=m"])
    expect(discover("codex", {}, named).available).toBe(false)
    const open = homeWith({ ".codex/config.toml": config })
    expect(discover("codex", {}, open)).toMatchObject({ credentials: [], available: true })
  })
})

describe("opencode", () => {
  const auth = {
    anthropic: { type: "oauth", access: "acc", refresh: "r", expires: 1_800_000_000_000 },
    openai: { type: "api", key: "sk-o" },
    corp: { type: "wellknown", key: "CORP", token: "wt" },
    odd: { type: "new" },
  }

  test("configuration, auth.json, then variables", () => {
    const home = homeWith({
      ".local/share/opencode/auth.json": auth,
      ".config/opencode/opencode.json": `{ // mine
        "provider": { "fake": { "options": { "apiKey": "inline" } }, "env": { "options": { "apiKey": "{env:FROM}" } },
                      "file": { "options": { "apiKey": "{file:~/secret}" } }, "none": {} }, }`,
      secret: "from file\n",
    })
    const found = discover("opencode", { FROM: "var", GROQ_API_KEY: "g", ANTHROPIC_API_KEY: "a" }, home)
    expect(summaryOf(found, home)).toEqual([
      "fake api_key ~/.config/opencode/opencode.json#provider.fake.options.apiKey=inline",
      "env api_key FROM=var",
      "file api_key ~/secret#=from file",
      "anthropic oauth ~/.local/share/opencode/auth.json#anthropic.access=acc",
      "openai api_key ~/.local/share/opencode/auth.json#openai.key=sk-o",
      "corp auth_token ~/.local/share/opencode/auth.json#corp.token=wt",
      "anthropic api_key ANTHROPIC_API_KEY=a",
      "groq api_key GROQ_API_KEY=g",
    ])
    expect(found.notes).toEqual(["auth.json: odd is of a kind that is not known"])
  })

  test("OPENCODE_AUTH_CONTENT stands in place of the file, XDG_DATA_HOME moves it", () => {
    const home = homeWith({ "data/opencode/auth.json": auth })
    const env = { XDG_DATA_HOME: join(home, "data") }
    expect(discover("opencode", env, home).credentials).toHaveLength(3)
    const inline = { ...env, OPENCODE_AUTH_CONTENT: '{"xai":{"type":"api","key":"x"}}' }
    expect(summaryOf(discover("opencode", inline, home), home)).toEqual(["xai api_key OPENCODE_AUTH_CONTENT=x"])
    // A relative value counts as unset, says the standard.
    expect(discover("opencode", { XDG_DATA_HOME: "data" }, home).available).toBe(false)
  })

  test("configuration by environment", () => {
    const OPENCODE_CONFIG_CONTENT = '{"provider":{"fake":{"options":{"apiKey":"none"}}}}'
    expect(summaryOf(discover("opencode", { OPENCODE_CONFIG_CONTENT }, none), none)).toEqual([
      "fake api_key OPENCODE_CONFIG_CONTENT=none",
    ])
  })
})

test("amp: its own key only, of the server in use", () => {
  const home = homeWith({
    ".local/share/amp/secrets.json": {
      "apiKey@https://ampcode.com/": "sg1",
      "apiKey@http://mine:1/": "sg2",
      "mcp-oauth-token@x": "no",
    },
  })
  const env = { ANTHROPIC_API_KEY: "ignored" }
  expect(summaryOf(discover("amp", env, home), home)).toEqual([
    "amp api_key ~/.local/share/amp/secrets.json#apiKey@https://ampcode.com/=sg1",
  ])
  expect(discover("amp", { AMP_URL: "http://mine:1" }, home).credentials.map(({ value }) => value)).toEqual(["sg2"])
  expect(discover("amp", { AMP_API_KEY: "k" }, home).credentials.map(({ value }) => value)).toEqual(["k", "sg1"])
  expect(discover("amp", env, none).available).toBe(false)
})

test("pi: auth.json, models.json, variables; names of variables are followed, commands are not run", () => {
  const home = homeWith({
    ".pi/agent/auth.json": {
      anthropic: { type: "oauth", access: "acc", refresh: "r", expires: 1_800_000_000_000 },
      openai: { type: "api_key", key: "$MY_OPENAI" },
      groq: { type: "api_key", key: "!touch /tmp/sa-evil; echo key" },
      xai: { type: "api_key", key: "plain" },
    },
    ".pi/agent/models.json": { providers: { fake: { apiKey: "dummy", models: [] }, other: {} } },
  })
  const found = discover("pi", { MY_OPENAI: "mo", ANTHROPIC_OAUTH_TOKEN: "ot", GEMINI_API_KEY: "g" }, home)
  expect(summaryOf(found, home)).toEqual([
    "anthropic oauth ~/.pi/agent/auth.json#anthropic.access=acc",
    "openai api_key MY_OPENAI=mo",
    "xai api_key ~/.pi/agent/auth.json#xai.key=plain",
    "fake api_key ~/.pi/agent/models.json#providers.fake.apiKey=dummy",
    "anthropic oauth ANTHROPIC_OAUTH_TOKEN=ot",
    "google api_key GEMINI_API_KEY=g",
  ])
  expect(found.notes).toEqual(["the key of groq comes from a command that Pi runs"])
  const moved = homeWith({ "a/auth.json": { xai: { type: "api_key", key: "x" } } })
  expect(discover("pi", { PI_CODING_AGENT_DIR: join(moved, "a") }, moved).available).toBe(true)
})

const files: [string, string][] = [
  ["claude", ".claude/.credentials.json"],
  ["codex", ".codex/auth.json"],
  ["opencode", ".local/share/opencode/auth.json"],
  ["amp", ".local/share/amp/secrets.json"],
  ["pi", ".pi/agent/auth.json"],
]

test.each(files)("%s: a half-written or odd file is a note, without its content", (agent, file) => {
  for (const content of ['{"claudeAiOauth":{"accessToken":"sk-s3cret', "[1,2", '"text"', "null", "[]", "\0\0"]) {
    const home = homeWith({ [file]: content })
    const found = discover(agent, {}, home)
    expect(found.available).toBe(false)
    expect(found.notes).toHaveLength(1)
    expect(found.notes.join()).not.toContain("s3cret")
  }
  for (const content of ["", "{}", '{"claudeAiOauth":7,"tokens":[],"apiKey@https://ampcode.com/":{}}'])
    expect(discover(agent, {}, homeWith({ [file]: content })).available).toBe(false)
})

test.each(files)("%s: a folder in the place of its file is a note", (agent, file) => {
  const home = homeWith({})
  mkdirSync(join(home, file), { recursive: true })
  const found = discover(agent, {}, home)
  expect(found).toMatchObject({ available: false, notes: [expect.stringContaining("cannot be read")] })
})

test.each(files)("%s: a file beyond settingsFileBytes, a pipe or a device is a note", (agent, file) => {
  const home = homeWith({ [file]: "{}".padEnd(limits.settingsFileBytes) })
  expect(discover(agent, {}, home).notes).toEqual([])
  const path = join(home, file)
  appendFileSync(path, " ")
  const noted = () =>
    expect(discover(agent, {}, home).notes).toEqual([expect.stringContaining(`${path} cannot be read`)])
  noted()
  rmSync(path)
  execFileSync("mkfifo", [path])
  noted()
  rmSync(path)
  symlinkSync("/dev/zero", path)
  noted()
})
