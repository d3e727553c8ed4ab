import type { Contract } from "@sandbox-agent/schema/contract/contract"
import type { FileRouteId } from "@sandbox-agent/schema/contract/files"
import { heads } from "@sandbox-agent/schema/contract/on-demand"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { Input } from "../http/input.ts"
import type { Handlers } from "../http/router.ts"
import type { Services } from "../services.ts"

export type FileHandlers = Pick<Handlers, FileRouteId>

/** Stand-ins of the handlers: a daemon whose files nobody asks for loads nothing of them. */
export function filesOnDemand(services: Services): FileHandlers {
  let loaded: Promise<FileHandlers> | undefined
  const load = async (): Promise<FileHandlers> => {
    const [{ fileHandlers }, files] = await Promise.all([import("./file-handlers.ts"), services.files()])
    return fileHandlers(services, files)
  }
  const handler =
    <K extends FileRouteId>(id: K) =>
    async (input: Input<Contract[K]>) => {
      await assertNoAgent(services, input.request)
      loaded ??= load()
      return (await loaded)[id](input)
    }
  const ids = heads.flatMap(([id, { group }]) => (group === "files" ? [id as FileRouteId] : []))
  return Object.fromEntries(ids.map((id) => [id, handler(id)])) as unknown as FileHandlers
}

/** Agents have tools of their own for files, under the permission mode of their session; the daemon is no way around it. */
async function assertNoAgent({ clients, log }: Services, request: Request): Promise<void> {
  const agent = await clients.of(request).agentProcess()
  if (agent === undefined) return
  log("warn", "a process of an agent asked for files and was refused", { ...agent })
  throw new SandboxAgentError("permission_denied", "files are not served to the processes of agents", {
    hint: "Agents use their own tools for files; ask from a client that no agent has started.",
  })
}
