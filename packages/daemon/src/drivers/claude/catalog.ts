import type { Mode } from "@sandbox-agent/schema/agent"
import { withDeadline } from "../../core/deadline.ts"
import type { Catalog, Host } from "../../core/driver.ts"
import type { SessionPatch } from "../../core/driver-sink.ts"
import type { Launcher } from "../shared/launcher.ts"
import { openMsOf } from "../shared/open-ms.ts"
import { environment, protocolFlags } from "./launch.ts"
import type { Command, Initialized } from "./native.ts"
import { startProcess } from "./process.ts"

const modes: Mode[] = [
  { id: "build", name: "Build", description: "Does the work" },
  { id: "plan", name: "Plan", description: "Is asked for a plan; restricts nothing by itself" },
]

export const commandsOf = (commands: readonly Command[] = []): NonNullable<SessionPatch["commands"]> =>
  commands.map(({ name, description, argumentHint }) => ({
    name,
    ...(description && { description }),
    ...(argumentHint && { hint: argumentHint }),
  }))

/** What Claude Code says of itself when it starts. */
export async function readCatalog({ command, env }: Launcher, host: Host): Promise<Catalog> {
  const process = startProcess(
    { command: [...command, ...protocolFlags], owner: "catalog:claude", directory: host.home },
    environment({}, env),
    host,
  )
  try {
    const said = process.request({ subtype: "initialize" })
    return catalogOf(
      (await withDeadline(said, openMsOf(host), "Claude Code did not say what it offers")) as Initialized,
    )
  } finally {
    await process.child.stop()
  }
}

export function catalogOf({ models = [] }: Initialized): Catalog {
  const listed = models.map(({ value, displayName, supportedEffortLevels }) => ({
    id: value,
    name: displayName ?? value,
    variants: supportedEffortLevels ?? [],
  }))
  const [first] = listed
  const defaultModel = listed.find(({ id }) => id === "default") ?? first
  return { modes, models: listed, ...(defaultModel && { defaultModel: defaultModel.id }) }
}
