import { limits } from "@sandbox-agent/schema/limits"
import { discoverAll } from "../../credentials/discover.ts"
import { providerAddresses } from "../../credentials/provider-addresses.ts"
import type { Environment } from "../config-file.ts"
import { type Finding, findingsOf, messageOf } from "./finding.ts"

const { ok, warning } = findingsOf("network")

/** Asks the package registry for the newest version of a package, and answers with both. */
export type NewestPackage = (withinMs: number) => Promise<string>

/** Proxies, the package registry, and the providers that a credential was found for. */
export async function networkFindings(
  newestPackage: NewestPackage,
  env: Environment = process.env,
): Promise<Finding[]> {
  const inUse = new Set(discoverAll(env).flatMap(({ credentials }) => credentials.map(({ provider }) => provider)))
  const asked = Object.entries(providerAddresses).filter(([provider]) => inUse.has(provider))
  return [
    proxyFinding(env),
    ...(await Promise.all([
      registryFinding(newestPackage),
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

/** Asked as an install asks it, so that its configuration, its proxy and its credentials count. */
async function registryFinding(newestPackage: NewestPackage): Promise<Finding> {
  const name = "package registry"
  try {
    return ok(name, `answers (${await newestPackage(limits.doctorAnswerMs)} is the newest)`)
  } catch (error) {
    const hint = "Agents are installed from it: set the registry in ~/.npmrc or npm_config_registry."
    return warning(name, messageOf(error), hint)
  }
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
