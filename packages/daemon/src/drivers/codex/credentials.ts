import { join } from "node:path"
import type { Discovery, Machine } from "../../credentials/credential.ts"
import { Finding, jwtExpiry } from "../../credentials/finding.ts"
import { folderOf } from "../../credentials/folders.ts"
import { isTable, readTable, type Table, tableIn } from "../../credentials/settings-file.ts"

/**
 * The app-server reads its `auth.json` and the variable that a provider of its configuration names. `CODEX_API_KEY` and
 * `OPENAI_API_KEY` it does not read: with those the driver has to log in for it.
 */
export function discoverCodex(machine: Machine): Discovery {
  const { env } = machine
  const finding = new Finding("codex", env)
  const folder = folderOf(machine, "CODEX_HOME", ".codex")
  const config = readTable(join(folder, "config.toml"), finding.notes, "toml")
  for (const one of [projectConfig(machine, finding.notes), config]) fromProvider(finding, one)
  fromFile(finding, join(folder, "auth.json"))
  const ignored = { ignoredByAgent: true } as const
  finding.variable("openai", "api_key", "CODEX_API_KEY", ignored)
  finding.variable("openai", "api_key", "OPENAI_API_KEY", ignored)
  if (env.CODEX_ACCESS_TOKEN) finding.notes.push("CODEX_ACCESS_TOKEN is set, but the app-server does not read it")
  const store = config?.cli_auth_credentials_store
  if (store === "keyring" || store === "auto") finding.unsure("a login may be in the keyring, which is not looked into")
  if (env.OPENAI_BASE_URL || config?.openai_base_url) finding.unsure("another address than OpenAI's may need no login")
  return finding.result()
}

/** What is configured for the directory of a session; Codex takes it from folders that are trusted. */
const projectConfig = ({ directory }: Machine, notes: string[]): Table | undefined =>
  directory === undefined ? undefined : readTable(join(directory, ".codex", "config.toml"), notes, "toml")

function fromProvider(finding: Finding, config: Table | undefined): void {
  const { profile } = config ?? {}
  const chosen = typeof profile === "string" ? tableIn(tableIn(config, "profiles"), profile) : {}
  const name = chosen.model_provider ?? config?.model_provider
  if (typeof name !== "string" || name === "openai") return
  const provider = tableIn(tableIn(config, "model_providers"), name)
  if (typeof provider.env_key === "string") {
    finding.needs = provider.env_key
    return finding.variable(name, "api_key", provider.env_key)
  }
  const asksForLogin = provider.requires_openai_auth === true
  if (isTable(provider.http_headers) || isTable(provider.env_http_headers))
    finding.unsure("headers of its own may log in")
  if (!asksForLogin) finding.otherwise(`config.toml chooses the provider ${name}, which needs no login`)
}

function fromFile(finding: Finding, file: string): void {
  const auth = finding.table(file)
  if (!auth) return
  const key = () => finding.add("openai", "api_key", { file, key: "OPENAI_API_KEY" }, auth.OPENAI_API_KEY)
  const { access_token } = tableIn(auth, "tokens")
  const tokens = () => {
    const expiresAt = jwtExpiry(access_token)
    finding.add("openai", "oauth", { file, key: "tokens.access_token" }, access_token, { expiresAt })
  }
  // Both may stand there; the mode says which is used, and without one the key is.
  for (const add of auth.auth_mode === "chatgpt" ? [tokens, key] : [key, tokens]) add()
}
