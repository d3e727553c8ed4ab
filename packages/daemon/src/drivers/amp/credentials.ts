import { join } from "node:path"
import type { Discovery, Machine } from "../../credentials/credential.ts"
import { Finding } from "../../credentials/finding.ts"
import { xdgFolder } from "../../credentials/folders.ts"

/** Amp knows its own key only; keys of model providers mean nothing to it. */
export function discoverAmp(machine: Machine): Discovery {
  const { env } = machine
  const finding = new Finding("amp", env)
  finding.variable("amp", "api_key", "AMP_API_KEY")
  const file = join(xdgFolder(machine, "XDG_DATA_HOME"), "amp", "secrets.json")
  const secrets = finding.table(file) ?? {}
  const keys = Object.keys(secrets).filter((key) => key.startsWith("apiKey@"))
  // One per server; the one in use is first.
  const server = hostOf(env.AMP_URL ?? "https://ampcode.com/")
  keys.sort((a, b) => Number(hostOf(b.slice(7)) === server) - Number(hostOf(a.slice(7)) === server))
  for (const key of keys) {
    const other = hostOf(key.slice(7)) !== server
    if (other) finding.notes.push(`${file} holds a key for ${hostOf(key.slice(7))}, which is not the server in use`)
    else finding.add("amp", "api_key", { file, key }, secrets[key])
  }
  if (machine.platform === "darwin") finding.unsure("a login may be in the keychain, which is not looked into")
  return finding.result()
}

function hostOf(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return url
  }
}
