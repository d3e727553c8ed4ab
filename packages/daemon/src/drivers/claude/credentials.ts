import { join } from "node:path"
import type { Discovery, Environment, Machine } from "../../credentials/credential.ts"
import { Finding, timeOf } from "../../credentials/finding.ts"
import { folderOf } from "../../credentials/folders.ts"
import { readTable, type Table, tableIn } from "../../credentials/settings-file.ts"

/** Among variables as seen on the wire: key, auth token, OAuth token. */
const variables = {
  ANTHROPIC_API_KEY: "api_key",
  ANTHROPIC_AUTH_TOKEN: "auth_token",
  CLAUDE_CODE_OAUTH_TOKEN: "oauth",
} as const
const names = Object.keys(variables) as (keyof typeof variables)[]

/** Variables before files. */
export function discoverClaude(machine: Machine): Discovery {
  const { env, home } = machine
  const finding = new Finding("claude", env)
  for (const name of names) finding.variable("anthropic", variables[name], name)

  const folder = folderOf(machine, "CLAUDE_CONFIG_DIR", ".claude")
  const file = join(folder, ".credentials.json")
  const oauth = tableIn(finding.table(file), "claudeAiOauth")
  const expiresAt = timeOf(oauth.expiresAt)
  const key = "claudeAiOauth.accessToken"
  finding.add("anthropic", "oauth", { file, key }, oauth.accessToken, { expiresAt })

  // Where a console login leaves its key. The variable moves this file, too.
  const state = join(env.CLAUDE_CONFIG_DIR || home, ".claude.json")
  const { primaryApiKey } = finding.table(state) ?? {}
  finding.add("anthropic", "api_key", { file: state, key: "primaryApiKey" }, primaryApiKey)

  const own = join(folder, "settings.json")
  fromSettings(finding, own, finding.table(own))
  for (const settings of projectSettings(machine)) fromSettings(finding, settings, readTable(settings, finding.notes))
  byCloud(finding, env)
  if (env.ANTHROPIC_CUSTOM_HEADERS) finding.unsure("ANTHROPIC_CUSTOM_HEADERS may log in")
  if (machine.platform === "darwin") finding.unsure("a login may be in the keychain, which is not looked into")
  return finding.result()
}

const projectSettings = ({ directory }: Machine): string[] =>
  directory === undefined
    ? []
    : ["settings.local.json", "settings.json"].map((name) => join(directory, ".claude", name))

/** What Claude Code sets for itself from its settings: often a gateway and its token. */
function fromSettings(finding: Finding, file: string, settings: Table | undefined): void {
  const env = tableIn(settings, "env")
  for (const name of names) finding.add("anthropic", variables[name], { file, key: `env.${name}` }, env[name])
  if (typeof settings?.apiKeyHelper === "string") finding.otherwise("settings.json names an apiKeyHelper")
  byCloud(finding, Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])))
}

function byCloud(finding: Finding, env: Environment): void {
  for (const cloud of ["BEDROCK", "VERTEX", "FOUNDRY"]) {
    const name = `CLAUDE_CODE_USE_${cloud}`
    if (isOn(env[name])) finding.otherwise(`${name} is set: the cloud's own credentials are used`)
  }
}

const isOn = (value: string | undefined): boolean => /^(?:1|true|yes|on)$/i.test(value ?? "")
