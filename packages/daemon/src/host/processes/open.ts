import { storeFolder } from "../../core/attachment-folders.ts"
import type { Context } from "../../core/context.ts"
import type { Sessions } from "../../core/sessions.ts"
import type { ProgramStarter } from "../../core/supervisor.ts"
import type { Listener } from "./ports.ts"
import { Processes } from "./processes.ts"

/** The processes of this daemon, with those of the ones before it. */
export function openProcesses(
  { context, sessions }: { context: Context; sessions: Sessions },
  starter: ProgramStarter,
  ports: { list(): Promise<Listener[]> },
): Processes {
  const { files, agentUser, defaultDirectory, log, directory, ids, store } = context
  return new Processes({
    ...{ starter, files, agentUser, defaultDirectory, log },
    directoryOf: (id) => sessions.get(id).record.directory,
    folder: storeFolder(directory, "processes", store.kind),
    listeners: () => ports.list(),
    newId: () => ids.next("proc"),
  })
}
