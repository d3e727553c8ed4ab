import type { RegistryEntry } from "@sandbox-agent/schema/registry"

export interface LaunchWords {
  args: string[]
  env: Record<string, string>
}

/** What follows the program of an entry on this machine, and the variables it wants. */
export function launchWords({ distribution }: RegistryEntry): LaunchWords {
  const { npx, uvx, command } = distribution
  if (npx !== undefined) return words(npx)
  if (command !== undefined) return words(command)
  if (uvx !== undefined) return { ...words(uvx), args: [uvx.package, ...(uvx.args ?? [])] }
  const arch = process.arch === "arm64" ? "aarch64" : "x86_64"
  const os = process.platform === "darwin" ? "darwin" : "linux"
  return words(distribution.binary?.[`${os}-${arch}`] ?? {})
}

const words = ({ args = [], env = {} }: { args?: string[]; env?: Record<string, string> }): LaunchWords => ({
  args: [...args],
  env: { ...env },
})
