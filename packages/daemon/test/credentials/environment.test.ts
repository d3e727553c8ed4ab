import { expect, test } from "vitest"
import type { Credential } from "../../src/credentials/credential.ts"
import { discoverAll } from "../../src/credentials/discover.ts"
import { asEnvironment, shellLines } from "../../src/credentials/environment.ts"
import { redact, redactValue, sourceText } from "../../src/credentials/redact.ts"
import { homeWith, jwt } from "./home.ts"

const credential: Credential = {
  agent: "claude",
  provider: "anthropic",
  kind: "api_key",
  source: { file: "/home/u/.claude.json", key: "primaryApiKey" },
  value: "sk-ant-api03-abcdefghijklmnop",
}

test("redacted: enough to recognise, too little to use", () => {
  expect(redact(credential).value).toBe("sk-a…mnop")
  expect(redactValue("short-secret")).toBe("…")
  expect(credential.value).toContain("abcdefgh")
  expect(JSON.stringify(redact(credential))).not.toContain("abcdefgh")
})

test("sources as people read them", () => {
  expect(sourceText(credential, "/home/u")).toBe("~/.claude.json (primaryApiKey)")
  expect(sourceText({ ...credential, source: { env: "ANTHROPIC_API_KEY" } })).toBe("ANTHROPIC_API_KEY")
})

test("what files hold becomes variables; what none can carry is told", () => {
  const home = homeWith({
    ".claude/.credentials.json": { claudeAiOauth: { accessToken: "oat" } },
    ".codex/auth.json": { auth_mode: "chatgpt", tokens: { access_token: jwt(1_800_000_000) } },
    ".local/share/opencode/auth.json": { openai: { type: "api", key: "sk-o" }, groq: { type: "api", key: "g" } },
    ".local/share/amp/secrets.json": { "apiKey@https://ampcode.com/": "sg" },
    ".pi/agent/auth.json": {
      anthropic: { type: "oauth", access: "acc" },
      "azure-openai-responses": { type: "api_key", key: "az" },
    },
  })
  const found = discoverAll({ GROQ_API_KEY: "from-env" }, home).flatMap(({ credentials }) => credentials)
  const { variables, notes } = asEnvironment(found)
  expect(variables).toEqual({
    CLAUDE_CODE_OAUTH_TOKEN: "oat",
    OPENAI_API_KEY: "sk-o",
    GROQ_API_KEY: "g",
    AMP_API_KEY: "sg",
    ANTHROPIC_OAUTH_TOKEN: "acc",
    AZURE_API_KEY: "az",
  })
  expect(notes).toEqual(["codex: the oauth of openai cannot be given by environment; copy its file"])
})

test("lines for a shell survive what a secret may hold", () => {
  const variables = { A: "plain", B: `it's "$HOME" \`x\` \\ !` }
  expect(shellLines({ A: "plain" })).toEqual(["A='plain'"])
  const script = `${shellLines(variables, true).join("\n")}\nprintf '%s|%s' "$A" "$B"`
  expect(Bun.spawnSync(["sh", "-c", script], { env: {} }).stdout.toString()).toBe(`plain|${variables.B}`)
})
