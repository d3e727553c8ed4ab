import { readFile } from "node:fs/promises"
import { homedir } from "node:os"
import { join } from "node:path"
import { limits } from "@sandbox-agent/schema/limits"
import { discoverAll } from "../../credentials/discover.ts"
import type { Environment } from "../config-file.ts"
import { type Finding, findingsOf, messageOf } from "./finding.ts"

const { ok, warning } = findingsOf("network")

/** Where a provider answers, and the variable that puts another address in its place. */
const providers: Readonly<Record<string, { variable?: string; address: string }>> = {
  anthropic: { variable: "ANTHROPIC_BASE_URL", address: "https://api.anthropic.com" },
  openai: { variable: "OPENAI_BASE_URL", address: "https://api.openai.com" },
  google: { address: "https://generativelanguage.googleapis.com" },
  openrouter: { address: "https://openrouter.ai" },
  amp: { variable: "AMP_URL", address: "https://ampcode.com" },
}

/** Proxies, the package registry, and the providers that a credential was found for. */
export async function networkFindings(env: Environment = process.env): Promise<Finding[]> {
  const inUse = new Set(discoverAll(env).flatMap(({ credentials }) => credentials.map(({ provider }) => provider)))
  const asked = Object.entries(providers).filter(([provider]) => inUse.has(provider))
  return [
    proxyFinding(env),
    ...(await Promise.all([
      reach(
        "package registry",
        await registryAddress(env),
        "Agents are installed from it: set the registry in ~/.npmrc or npm_config_registry.",
      ),
      ...asked.map(([provider, { variable, address }]) =>
        reach(
          provider,
          (variable && env[variable]) || address,
          `Its models are asked there: let this machine reach it${variable === undefined ? "" : `, or set ${variable} to a gateway`}.`,
        ),
      ),
    ])),
  ]
}

function proxyFinding(env: Environment): Finding {
  const set = ["HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY"].flatMap((name) => {
    const value = env[name] || env[name.toLowerCase()]
    return value ? [`${name}=${withoutPassword(value)}`] : []
  })
  return ok("proxy", set.length === 0 ? "none is set" : set.join(", "))
}

const withoutPassword = (value: string): string => value.replace(/\/\/[^/@]*@/, "//…@")

/** As the package manager reads it, as far as one line of one file tells. */
async function registryAddress(env: Environment): Promise<string> {
  const named = env.npm_config_registry || env.NPM_CONFIG_REGISTRY
  if (named) return named
  const file = await readFile(join(env.HOME || homedir(), ".npmrc"), "utf8").catch(() => "")
  return /^\s*registry\s*=\s*(\S+)/m.exec(file)?.[1] ?? "https://registry.npmjs.org"
}

/** Any answer will do: also one that refuses shows that the way is open. */
async function reach(name: string, address: string, hint: string): Promise<Finding> {
  const shown = withoutPassword(address)
  const began = performance.now()
  try {
    const signal = AbortSignal.timeout(limits.doctorAnswerMs)
    const { status } = await fetch(address, { method: "HEAD", redirect: "manual", signal })
    return ok(name, `${shown} answers (${status}, ${Math.round(performance.now() - began)} ms)`)
  } catch (error) {
    const late = error instanceof DOMException && error.name === "TimeoutError"
    const why = late ? `no answer within ${limits.doctorAnswerMs / 1000} s` : messageOf(error)
    return warning(name, `${shown}: ${why}`, hint)
  }
}
