import { homedir } from "node:os"
import { dirname, join, resolve } from "node:path"
import type { Credential, Discovery, Machine } from "../../credentials/credential.ts"
import { Finding, timeOf } from "../../credentials/finding.ts"
import { xdgFolder } from "../../credentials/folders.ts"
import { providerVariables } from "../../credentials/providers.ts"
import { parseTable, readTable, readText, type Table, tableIn } from "../../credentials/settings-file.ts"

/** Configured keys, then `auth.json`, then variables: what comes earlier overrides what comes later. */
export function discoverOpencode(machine: Machine): Discovery {
  const { env } = machine
  const finding = new Finding("opencode", env)
  for (const [name, config] of configs(machine, finding.notes)) fromConfig(finding, machine, name, config)
  fromAuth(finding, machine)
  for (const [provider, names] of Object.entries(providerVariables)) {
    for (const name of names) finding.variable(provider, "api_key", name)
  }
  finding.unsure("OpenCode has models that need no login, and providers of its configuration may need none")
  return finding.result()
}

function configs(machine: Machine, notes: string[]): [string, Table][] {
  const { env } = machine
  const inline = env.OPENCODE_CONFIG_CONTENT
  const found: [string, Table | undefined][] = []
  if (inline) found.push(["OPENCODE_CONFIG_CONTENT", parseTable(inline, "OPENCODE_CONFIG_CONTENT", notes)])
  const folder = join(xdgFolder(machine, "XDG_CONFIG_HOME"), "opencode")
  const files = ["opencode.jsonc", "opencode.json", "config.json"].map((name) => join(folder, name))
  for (const file of [...(env.OPENCODE_CONFIG ? [env.OPENCODE_CONFIG] : []), ...files])
    found.push([file, readTable(file, notes)])
  return found.filter((one): one is [string, Table] => one[1] !== undefined)
}

function fromConfig(finding: Finding, machine: Machine, name: string, config: Table): void {
  for (const provider of Object.keys(tableIn(config, "provider"))) {
    const { apiKey } = tableIn(tableIn(tableIn(config, "provider"), provider), "options")
    if (typeof apiKey !== "string") continue
    const key = `provider.${provider}.options.apiKey`
    const inline = name === "OPENCODE_CONFIG_CONTENT"
    const [, form, word] = /^\{(env|file):([^}]+)\}$/.exec(apiKey.trim()) ?? []
    if (form === "env" && word) finding.variable(provider, "api_key", word)
    else if (form === "file" && word) {
      const file = resolve(inline ? machine.home : dirname(name), word.replace(/^~(?=\/)/, machine.home || homedir()))
      finding.add(provider, "api_key", { file, key: "" }, readText(file, finding.notes))
    } else finding.add(provider, "api_key", inline ? { env: name } : { file: name, key }, apiKey)
  }
}

function fromAuth(finding: Finding, machine: Machine): void {
  const inline = machine.env.OPENCODE_AUTH_CONTENT
  const file = join(xdgFolder(machine, "XDG_DATA_HOME"), "opencode", "auth.json")
  // The variable stands in place of the file.
  const auth = inline ? parseTable(inline, "OPENCODE_AUTH_CONTENT", finding.notes) : finding.table(file)
  for (const provider of Object.keys(auth ?? {})) {
    const entry = tableIn(auth, provider)
    const at = (key: string): Credential["source"] =>
      inline ? { env: "OPENCODE_AUTH_CONTENT" } : { file, key: `${provider}.${key}` }
    if (entry.type === "api") finding.add(provider, "api_key", at("key"), entry.key)
    else if (entry.type === "oauth")
      finding.add(provider, "oauth", at("access"), entry.access, {
        expiresAt: entry.expires ? timeOf(entry.expires) : undefined,
      })
    else if (entry.type === "wellknown") finding.add(provider, "auth_token", at("token"), entry.token)
    else finding.notes.push(`auth.json: ${provider} is of a kind that is not known`)
  }
}
