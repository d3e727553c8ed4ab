import { join } from "node:path"
import type { CredentialKind, CredentialSource, Discovery, Machine } from "../../credentials/credential.ts"
import { Finding, timeOf } from "../../credentials/finding.ts"
import { folderOf } from "../../credentials/folders.ts"
import { providerVariables } from "../../credentials/providers.ts"
import { tableIn } from "../../credentials/settings-file.ts"

/** `auth.json`, then the keys in `models.json`, then variables. */
export function discoverPi(machine: Machine): Discovery {
  const { env } = machine
  const finding = new Finding("pi", env)
  const folder = folderOf(machine, "PI_CODING_AGENT_DIR", ".pi", "agent")
  const file = join(folder, "auth.json")
  const auth = finding.table(file)
  for (const provider of Object.keys(auth ?? {})) {
    const { type, key, access, expires } = tableIn(auth, provider)
    const at = (name: string) => ({ file, key: `${provider}.${name}` })
    if (type === "oauth") {
      const expiresAt = expires ? timeOf(expires) : undefined
      finding.add(provider, "oauth", at("access"), access, { expiresAt })
    } else value(finding, provider, "api_key", at("key"), key)
  }
  const models = join(folder, "models.json")
  const providers = tableIn(finding.table(models), "providers")
  for (const provider of Object.keys(providers)) {
    const { apiKey } = tableIn(providers, provider)
    if (apiKey === undefined) finding.unsure(`models.json has a provider ${provider}, which may need no key`)
    value(finding, provider, "api_key", { file: models, key: `providers.${provider}.apiKey` }, apiKey)
  }
  finding.variable("anthropic", "auth_token", "ANTHROPIC_AUTH_TOKEN")
  finding.variable("anthropic", "oauth", "ANTHROPIC_OAUTH_TOKEN")
  for (const [provider, names] of Object.entries(providerVariables)) {
    for (const name of names) finding.variable(provider, "api_key", name)
  }
  if (clouds.some((name) => env[name])) finding.unsure("a cloud's own credentials may log in")
  return finding.result()
}

/** Where one of these is set, a cloud serves its models under its own login. */
const clouds = ["AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "GOOGLE_CLOUD_PROJECT"]

/** A key, the name of a variable (`$NAME`), or a command that prints one (`!command`), which is not run here. */
function value(
  finding: Finding,
  provider: string,
  kind: CredentialKind,
  source: CredentialSource,
  text: unknown,
): void {
  if (typeof text !== "string") return
  const [, name] = /^\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?$/.exec(text) ?? []
  if (name !== undefined) finding.variable(provider, kind, name)
  else if (text.startsWith("!")) finding.otherwise(`the key of ${provider} comes from a command that Pi runs`)
  else finding.add(provider, kind, source, text)
}
