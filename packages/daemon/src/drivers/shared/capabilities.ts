import { type Capabilities, capabilityNames } from "@sandbox-agent/schema/agent"

/** An agent that can everything but these. */
export const allCapabilitiesBut = (...missing: (keyof Capabilities)[]): Capabilities =>
  Object.fromEntries(capabilityNames.map((name) => [name, !missing.includes(name)])) as Capabilities
