import { type Capabilities, capabilityNames } from "@sandbox-agent/schema/agent"

const cannot: readonly string[] = ["sharedProcess"]

export const capabilities = Object.fromEntries(
  capabilityNames.map((name) => [name, !cannot.includes(name)]),
) as Capabilities
