import { SandboxAgentError } from "@sandbox-agent/schema/error"
import type { InstallRequest } from "@sandbox-agent/schema/install"
import type { InstallOptions } from "../install/installer.ts"
import type { InstallProgress } from "../install/progress.ts"
import type { Connection } from "./connection.ts"
import { follow } from "./follow.ts"
import { type Installed, installOutput } from "./install-output.ts"
import { errorOfProblem } from "./problem.ts"

type InstallEvent = ({ type: "install.progress" } & InstallProgress) | ({ type: "install.done" } & Installed)

/** Has a daemon install an agent, and tells it as it goes. Errors are thrown. */
export async function* installEvents(
  connection: Connection,
  agent: string,
  options: InstallRequest,
): AsyncGenerator<InstallEvent> {
  const path = `/v1/agents/${encodeURIComponent(agent)}/install`
  const frames = follow(connection, { method: "POST", path, body: options }, { reconnect: false })
  for await (const { data } of frames) {
    const event = JSON.parse(data) as InstallEvent | { type: "error" }
    if (event.type === "error") throw errorOfProblem(data)
    yield event
  }
}

/** One agent on another daemon's machine; gives the exit code. */
export async function installOver(
  connection: Connection,
  agent: string,
  options: InstallOptions,
  json: boolean,
): Promise<number> {
  const output = installOutput(agent, json)
  try {
    for await (const event of installEvents(connection, agent, options)) {
      if (event.type === "install.progress") output.progress(event)
      else if (event.type === "install.done") {
        await output.done(event, event.notes ?? [])
        return 0
      }
    }
    throw new SandboxAgentError("stream_error", "the install stream ended without a result")
  } catch (error) {
    return await output.failed(error)
  }
}
