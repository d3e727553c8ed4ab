import { ampLimits } from "@sandbox-agent/schema/driver-limits"
import { SandboxAgentError } from "@sandbox-agent/schema/error"
import { type Host, MemoryGone } from "../../core/driver.ts"
import type { Exit } from "../../core/driver-sink.ts"
import { type Json, record } from "../shared/json.ts"
import type { Launcher } from "../shared/launcher.ts"
import { startError } from "./outcome.ts"

const threadId = /^T-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A thread that we never saw, as Amp's server has it: Amp itself says whether there is one only with the first message. */
export async function exportThread(
  { command }: Launcher,
  id: string,
  place: { owner: string; directory: string; env: Record<string, string> },
  host: Pick<Host, "supervisor">,
): Promise<Json> {
  if (!threadId.test(id)) throw new MemoryGone(`Amp has no thread ${JSON.stringify(id)}`)
  const ended = Promise.withResolvers<Exit>()
  const lines: string[] = []
  let chars = 0
  const child = host.supervisor.spawn({
    ...place,
    label: "amp",
    command: [...command, "threads", "export", id],
    onLine(line) {
      chars += line.length
      if (chars <= ampLimits.exportChars) lines.push(line)
      else void child.kill()
    },
    onExit: ended.resolve,
  })
  const exit = await ended.promise
  if (chars > ampLimits.exportChars)
    throw new SandboxAgentError("payload_too_large", `thread ${id} has more than ${ampLimits.exportChars} characters`)
  if (exit.code === 0) return record(JSON.parse(lines.join("\n")))
  const error = startError(exit)
  if (error instanceof MemoryGone) throw error
  throw new SandboxAgentError("unavailable", error?.message ?? `Amp could not look for thread ${id}`)
}
