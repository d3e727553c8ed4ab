import { join } from "node:path"
import type { Discovery, Machine } from "../../credentials/credential.ts"
import { Finding, timeOf } from "../../credentials/finding.ts"
import { folderOf } from "../../credentials/folders.ts"
import { readTable, tableIn } from "../../credentials/settings-file.ts"

/** Variables before files; among them as seen on the wire: key, auth token, OAuth token. */
export function discoverClaude(machine: Machine): Discovery {
  const { env, home } = machine
  const finding = new Finding("claude", env)
  finding.variable("anthropic", "api_key", "ANTHROPIC_API_KEY")
  finding.variable("anthropic", "auth_token", "ANTHROPIC_AUTH_TOKEN")
  finding.variable("anthropic", "oauth", "CLAUDE_CODE_OAUTH_TOKEN")

  const folder = folderOf(machine, "CLAUDE_CONFIG_DIR", ".claude")
  const file = join(folder, ".credentials.json")
  const oauth = tableIn(readTable(file, finding.notes), "claudeAiOauth")
  const expiresAt = timeOf(oauth.expiresAt)
  const key = "claudeAiOauth.accessToken"
  finding.add("anthropic", "oauth", { file, key }, oauth.accessToken, { expiresAt })

  // Where a console login leaves its key. The variable moves this file, too.
  const state = join(env.CLAUDE_CONFIG_DIR || home, ".claude.json")
  const { primaryApiKey } = readTable(state, finding.notes) ?? {}
  finding.add("anthropic", "api_key", { file: state, key: "primaryApiKey" }, primaryApiKey)

  const settings = readTable(join(folder, "settings.json"), finding.notes)
  if (typeof settings?.apiKeyHelper === "string") finding.otherwise("settings.json names an apiKeyHelper")
  for (const cloud of ["BEDROCK", "VERTEX", "FOUNDRY"]) {
    const name = `CLAUDE_CODE_USE_${cloud}`
    if (isOn(env[name])) finding.otherwise(`${name} is set: the cloud's own credentials are used`)
  }
  return finding.result()
}

const isOn = (value: string | undefined): boolean => /^(?:1|true|yes|on)$/i.test(value ?? "")
