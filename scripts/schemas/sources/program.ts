import { join } from "node:path"
import { entryOf } from "../../../packages/daemon/src/install/entry.ts"
import { npmTarget } from "../../../packages/daemon/src/install/npm.ts"
import { detectPlatform } from "../../../packages/daemon/src/install/platform.ts"
import { installTable } from "../../../packages/daemon/src/registry/installable.ts"
import { installed, SourceAbsent } from "../packages.ts"

/** The version the product is tested with. */
export function testedVersion(agent: string): string {
  return entryOf(installTable, agent).tested
}

/** The agent's own program for this machine, from the registry. */
export function agentProgram(agent: string, version: string): string {
  const [source] = entryOf(installTable, agent).npm ?? []
  if (source === undefined) throw new SourceAbsent(`${agent} is in no package`)
  try {
    const { name, spec, program } = npmTarget(source, detectPlatform(), version)
    if (!("path" in program)) throw new SourceAbsent(`${name} holds no program`)
    const path = join("node_modules", name, program.path)
    return join(installed(`${agent}-${version}`, [`${name}@${spec}`], path), path)
  } catch (failure) {
    throw failure instanceof SourceAbsent ? failure : new SourceAbsent(String(failure))
  }
}
