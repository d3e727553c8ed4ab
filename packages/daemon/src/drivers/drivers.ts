import { type RegistryEntry, traitsOf } from "@sandbox-agent/schema/registry"
import type { Driver } from "../core/driver.ts"
import type { Programs } from "../core/programs.ts"
import { createAcpDriver } from "./acp/driver.ts"
import type { DriverOptions } from "./native-agent.ts"
import { nativeAgents } from "./table.ts"

export type DriversOptions = Omit<DriverOptions, "programs"> & { programs(agent: string): Programs }

/** The drivers of all agents that have one of their own. */
export function createDrivers({ programs, ...options }: DriversOptions): Promise<Driver[]> {
  return Promise.all(nativeAgents.flatMap(({ id, driver }) => driver?.({ ...options, programs: programs(id) }) ?? []))
}

/** An agent of the registry, and what follows its program. */
export function createRegistryDriver(
  entry: RegistryEntry,
  words: { args: readonly string[]; env: Readonly<Record<string, string>> },
  programs: Programs,
  memory: string,
): Driver {
  const { id, name } = entry
  return createAcpDriver({ agent: { id, name, ...words, traits: traitsOf(entry) }, programs, memory })
}
