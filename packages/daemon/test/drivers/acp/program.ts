import { homedir } from "node:os"
import { join } from "node:path"
import { type RegistryEntry, traitsOf } from "@sandbox-agent/schema/registry"
import type { Program } from "../../../src/core/programs.ts"
import type { AcpAgent } from "../../../src/drivers/acp/agent.ts"
import { createInstaller } from "../../../src/install/installer.ts"
import { bunLauncher } from "../../../src/install/launcher.ts"
import { builtinEntries } from "../../../src/registry/builtin.ts"
import { installable } from "../../../src/registry/installable.ts"
import { launchWords } from "../../../src/registry/launch-words.ts"
import { createSupervisor } from "../../../src/supervisor/supervisor.ts"

const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "sandbox-agent", "test-agents", "acp")

export function entryOf(id: string): RegistryEntry {
  const entry = builtinEntries.find((one) => one.id === id)
  if (entry === undefined) throw new Error(`no entry ${id}`)
  return entry
}

export const agentOf = (entry: RegistryEntry): AcpAgent => ({
  id: entry.id,
  name: entry.name,
  ...launchWords(entry),
  traits: traitsOf(entry),
})

/** The real program of a built-in entry in its tested version, installed once per machine by our own installer. */
export async function programOf(entry: RegistryEntry): Promise<Program> {
  const supervisor = createSupervisor({ daemonId: `test-install-${process.pid}`, log: () => {} })
  const installer = createInstaller({
    directory: join(cache, "bin"),
    bun: bunLauncher([process.execPath]),
    supervisor,
    log: () => {},
    table: installable([entry]),
    env: { ...process.env, PATH: "" },
  })
  try {
    const found = await installer.ensure(entry.id, entry.version === undefined ? {} : { version: entry.version })
    return { ...found, credentials: "available" as const }
  } finally {
    await supervisor.stopAll()
  }
}
