import { withDeadline } from "../../core/deadline.ts"
import type { Catalog, Host } from "../../core/driver.ts"
import type { SessionPatch } from "../../core/driver-sink.ts"
import { record } from "../shared/json.ts"
import type { Launcher } from "../shared/launcher.ts"
import { openMsOf } from "../shared/open-ms.ts"
import { modes } from "./capabilities.ts"
import { environment, protocolFlags } from "./launch.ts"
import { availableModels, hasModel, idOf, listed } from "./models.ts"
import type { NativeCommand, State } from "./native.ts"
import { type Started, startProcess } from "./process.ts"

export const stateOf = async ({ command }: Pick<Started, "command">): Promise<State> =>
  record(await command({ type: "get_state" })) as State

/** Those of extensions, templates and skills. */
export const commandsOf = (commands: readonly NativeCommand[]): NonNullable<SessionPatch["commands"]> =>
  commands.map(({ name, description }) => ({ name, ...(description && { description }) }))

/** What Pi says of itself when it starts. */
export async function readCatalog({ command, env }: Launcher, host: Host): Promise<Catalog> {
  const flags = [...protocolFlags, "--no-session"]
  const process = startProcess(
    { command: [...command, ...flags], owner: "catalog:pi", directory: host.home },
    environment({}, env),
    host,
  )
  try {
    return await withDeadline(read(process), openMsOf(host), "Pi did not say what it offers")
  } finally {
    await process.child.stop()
  }
}

async function read(process: Started): Promise<Catalog> {
  const state = await stateOf(process)
  const models = listed(await availableModels(process), state.thinkingLevel)
  const { model } = state
  return { modes, models, ...(model && hasModel(state) && { defaultModel: idOf(model) }) }
}
