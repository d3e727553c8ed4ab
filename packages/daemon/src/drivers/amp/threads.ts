import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { type Exit, type Host, MemoryGone, type OpenOptions } from "../../core/driver.ts"
import type { Launcher } from "../shared/launcher.ts"
import { startError } from "./outcome.ts"

const threadId = /^T-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether Amp's server has a thread that we never saw: Amp itself says so only with the first message. */
export async function assertThread(
  { command }: Launcher,
  id: string,
  { owner, directory }: OpenOptions,
  env: Record<string, string>,
  host: Host,
): Promise<void> {
  if (!threadId.test(id)) throw new MemoryGone(`Amp has no thread ${JSON.stringify(id)}`)
  const ended = Promise.withResolvers<Exit>()
  host.supervisor.spawn({
    owner,
    label: "amp",
    command: [...command, "threads", "markdown", id],
    directory,
    env,
    onLine: () => {},
    onExit: ended.resolve,
  })
  const exit = await ended.promise
  if (exit.code === 0) return
  const error = startError(exit)
  if (error instanceof MemoryGone) throw error
  throw new SandboxAgentError("agent_process_exited", error?.message ?? "Amp could not look for the thread")
}
